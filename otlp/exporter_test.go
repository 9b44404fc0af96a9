package otlp

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/pprofile/pprofileotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/hotspan/hotspan/pprofx"
)

func dial(t *testing.T, endpoint string, c Config) *Exporter {
	t.Helper()
	e, err := Dial(endpoint, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

func TestWriteDelivers(t *testing.T) {
	for name, c := range map[string]Config{
		"gzip": {Agent: agent}, "identity": {Agent: agent, Compression: Uncompressed},
	} {
		s := serve(t, &server{})
		c.Headers = map[string]string{"authorization": "Bearer x"}
		want := randomSnapshot(1, 400)
		if err := dial(t, "http://"+s.address, c).Write(t.Context(), want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(flatten(want), decode(s.received...)); diff != "" {
			t.Error(diff)
		}
		if got := breaches(s.received[0]); got != nil {
			t.Error(got)
		}
		if s.compression != strings.ReplaceAll(name, "identity", "") {
			t.Errorf("compression %q, want %s", s.compression, name)
		}
		if got := s.metadata.Get("authorization"); !cmp.Equal(got, []string{"Bearer x"}) {
			t.Errorf("authorization %q", got)
		}
	}
}

// A message arrives as the snapshot in it would, and unchanged; a large one is split.
func TestWriteMessage(t *testing.T) {
	want := randomSnapshot(1, 400)
	message := marshal(t, Profiles(want, Agent{Version: "0.9"}))
	for name, c := range map[string]Config{
		"whole": {Agent: agent}, "split": {Agent: agent, MaxMessage: len(message) / 3},
	} {
		s := serve(t, &server{})
		e := dial(t, "http://"+s.address, c)
		all, err := e.Split(message)
		for _, m := range all {
			err = errors.Join(err, e.WriteMessage(t.Context(), m))
		}
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(flatten(want), decode(s.received...)); diff != "" {
			t.Error(diff)
		}
		scope := s.received[0].ResourceProfiles().At(0).ScopeProfiles().At(0).Scope()
		if whole := name == "whole"; whole != (len(s.received) == 1) || whole != (scope.Version() == "0.9") {
			t.Errorf("%s: %d messages, of version %s", name, len(s.received), scope.Version())
		}
	}
	e := dial(t, "http://127.0.0.1:1", Config{MaxMessage: 8})
	if err := e.WriteMessage(t.Context(), message[:9]); !Refused(err) {
		t.Errorf("a broken message: %v", err)
	}
	if all, err := e.Split(message[:9]); err == nil {
		t.Errorf("a broken message becomes %d", len(all))
	}
}

// The certificate is the one of httptest, good for 127.0.0.1.
func TestWriteOverTLS(t *testing.T) {
	web := httptest.NewTLSServer(nil)
	defer web.Close()
	certificate := &tls.Config{Certificates: web.TLS.Certificates}
	s := serve(t, &server{}, grpc.Creds(credentials.NewTLS(certificate)))
	roots := x509.NewCertPool()
	roots.AddCert(web.Certificate())
	trusting := dial(t, "https://"+s.address, Config{TLS: &tls.Config{RootCAs: roots}})
	if err := trusting.Write(t.Context(), randomSnapshot(1, 9)); err != nil || len(s.received) != 1 {
		t.Errorf("%d messages arrived, %v", len(s.received), err)
	}
	careful := dial(t, "https://"+s.address, Config{GiveUp: time.Second})
	err := careful.Write(t.Context(), randomSnapshot(1, 9))
	if err == nil || !strings.Contains(err.Error(), "certificate") || len(s.received) != 1 {
		t.Errorf("a certificate of unknown origin: %v", err)
	}
}

func TestWriteSplits(t *testing.T) {
	s := serve(t, &server{}, grpc.MaxRecvMsgSize(60_000))
	want := randomSnapshot(4, 3000)
	whole := dial(t, "http://"+s.address, Config{}).Write(t.Context(), want)
	if whole == nil || !strings.Contains(whole.Error(), "larger than max") || s.tries != 0 {
		t.Errorf("a message that is too large: %v", whole)
	}
	if err := dial(t, "http://"+s.address, Config{MaxMessage: 55_000}).Write(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(flatten(want), decode(s.received...)); diff != "" || len(s.received) < 2 {
		t.Errorf("%d messages; %s", len(s.received), diff)
	}
}

func TestNothingIsNotSent(t *testing.T) {
	s := serve(t, &server{})
	e := dial(t, "http://"+s.address, Config{})
	if err := e.Write(t.Context(), &pprofx.Snapshot{Start: 1, End: 2}); err != nil || s.tries != 0 {
		t.Errorf("%d messages of an empty snapshot, %v", s.tries, err)
	}
	lost := &pprofx.Snapshot{Start: 1, End: 2, Lost: map[pprofx.LostReason]int64{pprofx.LostRingFull: 5}}
	if err := e.Write(t.Context(), lost); err != nil || len(s.received) != 1 {
		t.Errorf("%d messages of a snapshot that was lost, %v", len(s.received), err)
	}
}

func TestPartialSuccess(t *testing.T) {
	said := func(rejected int64, message string) *server {
		return serve(t, &server{answer: func(int) (pprofileotlp.ExportResponse, error) {
			r := pprofileotlp.NewExportResponse()
			r.PartialSuccess().SetRejectedProfiles(rejected)
			r.PartialSuccess().SetErrorMessage(message)
			return r, nil
		}})
	}
	s := said(2, "too old")
	err := dial(t, "http://"+s.address, Config{}).Write(t.Context(), randomSnapshot(1, 90))
	var partial *PartialError
	if !errors.As(err, &partial) || *partial != (PartialError{"http://" + s.address, 2, 3, "too old", ""}) {
		t.Errorf("%v", err)
	}
	for rejected, want := range map[int64]int64{90: 3, math.MaxInt64: 3, -2: 0} { // of 3 profiles with 90 samples
		s := said(rejected, "too old")
		partial = &PartialError{}
		err := dial(t, "http://"+s.address, Config{}).Write(t.Context(), randomSnapshot(1, 90))
		if errors.As(err, &partial) != (want > 0) || partial.Rejected != want {
			t.Errorf("a server says that it has rejected %d: %v", rejected, err)
		}
	}
	var warning string
	s = said(0, "please use v2")
	e := dial(t, "http://"+s.address, Config{Warn: func(m string) { warning = m }})
	if err := e.Write(t.Context(), randomSnapshot(1, 90)); err != nil || warning != "please use v2" {
		t.Errorf("%v, warning %q", err, warning)
	}
}

// A server such as Parca's takes no profile without samples, and calls that Unknown: what was lost is no reason to try
// again. Of one with samples it is.
func TestLossesRefused(t *testing.T) {
	for _, code := range []codes.Code{codes.Unknown, codes.Internal, codes.InvalidArgument} {
		s := serve(t, &server{answer: func(int) (pprofileotlp.ExportResponse, error) {
			return empty(), status.Error(code, "sample is empty")
		}})
		e := dial(t, "http://"+s.address, Config{})
		lost := &pprofx.Snapshot{Start: 5, End: 9, Period: 1, Lost: map[pprofx.LostReason]int64{pprofx.LostExited: 3}}
		var partial *PartialError
		err := e.Write(t.Context(), lost)
		if !errors.As(err, &partial) || partial.Rejected != 1 || !strings.Contains(err.Error(), "sample is empty") {
			t.Errorf("%v: %v", code, err)
		}
		if err := e.Write(t.Context(), randomSnapshot(1, 9)); status.Code(err) != code || s.tries != 2 {
			t.Errorf("%v, with samples: %v in %d tries", code, err, s.tries)
		}
	}
}

func TestEndpoints(t *testing.T) {
	for _, good := range []string{"http://localhost:4317", "https://otel.example/", "http://[::1]:4317", "http://h"} {
		e, err := Dial(good, Config{})
		if err != nil {
			t.Errorf("%s: %v", good, err)
			continue
		}
		e.Close()
	}
	for _, bad := range []string{"", "localhost:4317", "http://", "grpc://h:1", "http://h:1/v1", "http://h?x",
		"http://u:p@h:1", "http://u:p@h:port",
		"http://h:port", "http://h:1#x"} {
		if _, err := Dial(bad, Config{}); err == nil || !strings.Contains(err.Error(), "otlp endpoint") {
			t.Errorf("%q: %v", bad, err)
		} else if strings.Contains(err.Error(), "u:p") {
			t.Errorf("a password is in the message: %v", err)
		}
	}
	e, err := Dial("https://[::1]", Config{})
	if err != nil || e.transport.(*grpcTransport).conn.Target() != "[::1]:4317" {
		t.Errorf("%v, %v", e, err)
	}
}

// Nothing listens there: the error says where, why, and that time ran out. How many tries fit in is chance.
func TestNoServer(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener.Close()
	endpoint := "http://" + listener.Addr().String()
	ctx, cancel := context.WithTimeout(t.Context(), 900*time.Millisecond)
	defer cancel()
	err = dial(t, endpoint, Config{}).Write(ctx, randomSnapshot(1, 9))
	for _, want := range []string{regexp.QuoteMeta(endpoint), "refused", "gave up after [2-9] tries"} {
		if err == nil || !regexp.MustCompile(want).MatchString(err.Error()) {
			t.Errorf("%v: does not say %q", err, want)
		}
	}
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v is not context.DeadlineExceeded", err)
	}
}

func BenchmarkProfiles(b *testing.B) {
	s := randomSnapshot(1, 20_000)
	b.ReportAllocs()
	for b.Loop() {
		Profiles(s, agent)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(s.Rows)), "ns/sample")
}

func BenchmarkMarshal(b *testing.B) {
	s := randomSnapshot(1, 20_000)
	bytes := 0
	for b.Loop() {
		out, err := proto.Marshal(Profiles(s, agent))
		if err != nil {
			b.Fatal(err)
		}
		bytes = len(out)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(s.Rows)), "ns/sample")
	b.ReportMetric(float64(bytes)/float64(len(s.Rows)), "B/sample")
}

// Try says before the first snapshot what would come of it.
func TestTry(t *testing.T) {
	s := serve(t, &server{})
	e := dial(t, "http://"+s.address, Config{})
	if err := e.Try(t.Context()); err != nil {
		t.Error(err)
	}
	// What Parca and Pyroscope ask of any message: a resource, and a dictionary whose tables have their zero values.
	if got := breaches(s.received[0]); !slices.Equal(got, []string{"a scope without profiles"}) {
		t.Errorf("of a message without profiles: %q", got)
	}
	if want := "OTLP profiles v1development, otlp-profiles-development-version 1, over grpc"; e.Speaks() != want {
		t.Errorf("%s, want %s", e.Speaks(), want)
	}
	other := httptest.NewServer(http.NotFoundHandler()) // of another protocol
	defer other.Close()
	if err := dial(t, other.URL, Config{Protocol: HTTP}).Try(t.Context()); status.Code(err) != codes.Unimplemented ||
		!strings.Contains(err.Error(), "a Collector needs --feature-gates=service.profilesSupport") {
		t.Error(err)
	}
	if err := dial(t, other.URL, Config{}).Try(t.Context()); status.Code(err) != codes.Unavailable ||
		!strings.Contains(err.Error(), "protocol=http/protobuf") {
		t.Errorf("gRPC to a server of HTTP: %v", err)
	}
	if err := dial(t, "http://127.0.0.1:1", Config{}).Try(t.Context()); status.Code(err) != codes.Unavailable {
		t.Error(err)
	}
}
