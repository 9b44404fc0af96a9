package otlp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pprofile/pprofileotlp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
)

func throttled(c codes.Code, after time.Duration) error {
	s, err := status.New(c, "slow down").WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(after)})
	if err != nil {
		panic(err)
	}
	return s.Err()
}

// The table is the one of opentelemetry-proto's docs/specification.md, OTLP/gRPC Failures.
func TestNextTry(t *testing.T) {
	again := map[codes.Code]bool{
		codes.Canceled: true, codes.Unknown: false, codes.InvalidArgument: false, codes.DeadlineExceeded: true,
		codes.NotFound: false, codes.AlreadyExists: false, codes.PermissionDenied: false, codes.Unauthenticated: false,
		codes.ResourceExhausted: false, codes.FailedPrecondition: false, codes.Aborted: true, codes.OutOfRange: true,
		codes.Unimplemented: false, codes.Internal: false, codes.Unavailable: true, codes.DataLoss: true,
	}
	for code, want := range again {
		if _, got := nextTry(status.Error(code, ""), 1); got != want {
			t.Errorf("%s: tried again %v, want %v", code, got, want)
		}
	}
	for _, code := range []codes.Code{codes.ResourceExhausted, codes.Unavailable} {
		if wait, got := nextTry(throttled(code, 30*time.Second), 1); !got || wait != 30*time.Second {
			t.Errorf("%s, come back in 30 s: tried again %v after %s", code, got, wait)
		}
	}
	if wait, got := nextTry(throttled(codes.Unavailable, 0), 5); !got || wait < maxWait/2 {
		t.Errorf("come back at once, for the fifth time: tried again %v after %s", got, wait)
	}
	if _, got := nextTry(throttled(codes.InvalidArgument, time.Second), 1); got {
		t.Error("INVALID_ARGUMENT with a delay: tried again")
	}
}

func TestWaitsGrow(t *testing.T) {
	for try, most := range map[int]time.Duration{
		1: firstWait, 2: 2 * firstWait, 3: 4 * firstWait, 9: maxWait, 99: maxWait,
	} {
		for range 100 {
			if wait := backoffWait(try); wait > most || wait < most/2 {
				t.Fatalf("try %d: wait %s, want %s to %s", try, wait, most/2, most)
			}
		}
	}
}

func TestTriesAgain(t *testing.T) {
	s := serve(t, &server{answer: func(try int) (pprofileotlp.ExportResponse, error) {
		if try < 3 {
			return empty(), throttled(codes.ResourceExhausted, 0)
		}
		return empty(), nil
	}})
	err := dial(t, "http://"+s.address, Config{}).Write(t.Context(), randomSnapshot(1, 9))
	if err != nil || s.tries != 3 {
		t.Errorf("%d tries, %v", s.tries, err)
	}
	if len(s.received) != 1 {
		t.Errorf("%d messages arrived", len(s.received))
	}
}

func empty() pprofileotlp.ExportResponse { return pprofileotlp.NewExportResponse() }

func TestDoesNotTryAgain(t *testing.T) {
	for code, says := range map[codes.Code]string{
		codes.InvalidArgument: "no good", codes.Unimplemented: "service.profilesSupport",
		codes.ResourceExhausted: "size",
	} {
		s := serve(t, &server{answer: func(int) (pprofileotlp.ExportResponse, error) {
			return empty(), status.Error(code, "no good")
		}})
		err := dial(t, "http://"+s.address, Config{}).Write(t.Context(), randomSnapshot(1, 9))
		if s.tries != 1 || status.Code(errors.Unwrap(err)) != code || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %d tries, %v", code, s.tries, err)
		}
	}
}

// A server that says to come back after the time given is not waited for.
func TestGivesUpEarly(t *testing.T) {
	s := serve(t, &server{answer: func(int) (pprofileotlp.ExportResponse, error) {
		return empty(), throttled(codes.Unavailable, time.Hour)
	}})
	began := time.Now()
	err := dial(t, "http://"+s.address, Config{GiveUp: time.Minute}).Write(t.Context(), randomSnapshot(1, 9))
	if err == nil || !strings.Contains(err.Error(), "slow down") || time.Since(began) > 10*time.Second {
		t.Errorf("after %s: %v", time.Since(began), err)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := serve(t, &server{answer: func(int) (pprofileotlp.ExportResponse, error) {
		time.AfterFunc(50*time.Millisecond, cancel)
		return empty(), status.Error(codes.Unavailable, "going down")
	}})
	err := dial(t, "http://"+s.address, Config{}).Write(ctx, randomSnapshot(1, 9))
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "going down") {
		t.Error(err)
	}
}

// A server that never answers is left after Config.Timeout, and asked again.
func TestTimeout(t *testing.T) {
	free := make(chan bool)
	s := serve(t, &server{answer: func(try int) (pprofileotlp.ExportResponse, error) {
		if try == 1 {
			<-free
		}
		return empty(), nil
	}})
	time.AfterFunc(400*time.Millisecond, func() { close(free) })
	e := dial(t, "http://"+s.address, Config{Timeout: 100 * time.Millisecond})
	if err := e.Write(t.Context(), randomSnapshot(1, 9)); err != nil || s.tries < 2 {
		t.Errorf("%d tries, %v", s.tries, err)
	}
}

// TestTooLarge: what a real server says of a message that is larger than it takes, and what others do, is told from
// other refusals of the same code.
func TestTooLarge(t *testing.T) {
	small := serve(t, &server{}, grpc.MaxRecvMsgSize(10))
	err := dial(t, "http://"+small.address, Config{}).Write(t.Context(), randomSnapshot(1, 9))
	if !TooLarge(err) || Exhausted(err) {
		t.Errorf("grpc-go: %v", err)
	}
	url, _ := serveHTTP(t, func(w http.ResponseWriter, _ int) bool {
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		return true
	})
	if err := dial(t, url, Config{Protocol: HTTP}).Write(t.Context(), randomSnapshot(1, 9)); !TooLarge(err) {
		t.Errorf("HTTP: %v", err)
	}
	for text, want := range map[string]bool{
		"gRPC message exceeds maximum size 4194304: 5000000":             true,
		"Received message larger than max (5000000 vs. 4194304)":         true,
		"Received message exceeds the maximum configured message size.":  true,
		"RATE_LIMITED: ingestion rate limit (15000000 bytes) exceeded":   false,
		"the request has been rejected because the tenant exceeded ...":  false,
		"quota exceeded (if the size of the message is the reason: ...)": false,
	} {
		err := fmt.Errorf("otlp: %w", status.Error(codes.ResourceExhausted, text))
		if TooLarge(err) != want || Exhausted(err) == want {
			t.Errorf("%s: too large %v, exhausted %v", text, TooLarge(err), Exhausted(err))
		}
	}
	busy := throttled(codes.ResourceExhausted, time.Second)
	if invalid := status.Error(codes.InvalidArgument, "no"); Exhausted(invalid) || Exhausted(busy) || TooLarge(nil) {
		t.Error("neither what is invalid nor a server that says when to come back is exhausted")
	}
}

// TestRefusedCodes: these codes say that a server does not want what it was sent, whenever it comes.
func TestRefusedCodes(t *testing.T) {
	for code := codes.OK; code <= codes.Unauthenticated; code++ {
		want := code == codes.InvalidArgument || code == codes.AlreadyExists || code == codes.ResourceExhausted
		if got := Refused(status.Error(code, "")); got != want {
			t.Errorf("%s: refused %v, want %v", code, got, want)
		}
	}
	if Refused(throttled(codes.ResourceExhausted, time.Second)) {
		t.Error("a server that is busy refuses nothing")
	}
}
