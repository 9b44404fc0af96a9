package otlp

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pprofile/pprofileotlp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// A server may say as much as it likes: messages have the beginning of it, and what else it says counts.
func TestLongTexts(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	check := func(what, got string) {
		if !strings.Contains(got, "xxx") || len(got) > 1000 {
			t.Errorf("%s: %d bytes, want the beginning of what the server says", what, len(got))
		}
	}
	refuse := func(int) (pprofileotlp.ExportResponse, error) {
		s := status.Convert(throttled(codes.Unavailable, time.Hour)).Proto()
		s.Message = long
		return empty(), status.FromProto(s).Err()
	}
	refusing := dial(t, "http://"+serve(t, &server{answer: refuse}).address, Config{})
	err := refusing.Write(t.Context(), randomSnapshot(1, 9))
	if check("gRPC status", err.Error()); RetryAfter(err) != time.Hour {
		t.Errorf("%.200s: to be left alone for %v", err, RetryAfter(err))
	}
	warn := func(int) (pprofileotlp.ExportResponse, error) {
		r := empty()
		r.PartialSuccess().SetErrorMessage(long)
		return r, nil
	}
	warned := Config{Warn: func(text string) { check("partial success", text) }}
	e := dial(t, "http://"+serve(t, &server{answer: warn}).address, warned)
	if err := e.Write(t.Context(), randomSnapshot(1, 9)); err != nil {
		t.Error(err)
	}
	url, _ := serveHTTP(t, func(w http.ResponseWriter, _ int) bool {
		http.Error(w, long, http.StatusBadRequest)
		return true
	})
	check("HTTP", dial(t, url, Config{Protocol: HTTP}).Write(t.Context(), randomSnapshot(1, 9)).Error())
}
