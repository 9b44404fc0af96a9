package otlp

import (
	"compress/gzip"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pprofile/pprofileotlp"
	"google.golang.org/grpc"
)

// wordy are servers that reject a profile and say why in so many bytes, over gRPC, over gRPC in a compressed answer,
// and over HTTP. tries counts what each has accepted.
func wordy(t *testing.T, bytes int, tries *int) map[Protocol][]string {
	t.Helper()
	r := empty()
	r.PartialSuccess().SetRejectedProfiles(1)
	r.PartialSuccess().SetErrorMessage(strings.Repeat("x", bytes))
	body, err := r.MarshalProto()
	if err != nil {
		t.Fatal(err)
	}
	answer := func(int) (pprofileotlp.ExportResponse, error) { *tries++; return r, nil }
	compress := func(ctx context.Context, r any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
		if err := grpc.SetSendCompressor(ctx, "gzip"); err != nil {
			t.Error(err)
		}
		return handle(ctx, r)
	}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		*tries++
		w.Header().Set("Content-Type", "application/x-protobuf")
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		defer z.Close()
		z.Write(body) // the client need not read it all
	}))
	t.Cleanup(web.Close)
	return map[Protocol][]string{HTTP: {web.URL}, GRPC: {
		"http://" + serve(t, &server{answer: answer}).address,
		"http://" + serve(t, &server{answer: answer}, grpc.UnaryInterceptor(compress)).address,
	}}
}

// What a server has accepted is accepted, however much it says: if it were sent again, it would be there twice. What it
// rejects counts, unless it says so in more than is read. That is told.
func TestLongAnswers(t *testing.T) {
	for _, bytes := range []int{1 << 20, 5 << 20} {
		var tries int
		for protocol, all := range wordy(t, bytes, &tries) {
			for _, url := range all {
				var warned string
				tries = 0
				e := dial(t, url, Config{Protocol: protocol, Compression: Uncompressed, // or gRPC's servers do, too
					Warn: func(text string) { warned = text }})
				err := e.Write(t.Context(), randomSnapshot(1, 9))
				var partial *PartialError
				if tries != 1 || Refused(err) {
					t.Errorf("%s, %d bytes: sent %d times: %.200v", protocol, bytes, tries, err)
				} else if isRead := errors.As(err, &partial) && partial.Rejected == 1; isRead != (bytes < maxAnswer) {
					t.Errorf("%s, %d bytes: %.200v", protocol, bytes, err)
				} else if isTold := strings.Contains(warned, "not read"); isTold != (bytes > maxAnswer) {
					t.Errorf("%s, %d bytes: told %q", protocol, bytes, warned)
				}
			}
		}
	}
}
