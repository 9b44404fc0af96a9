package otlp

import (
	"strings"
	"testing"
	"time"

	"github.com/hotspan/hotspan/pprofx"
)

func TestUserAgent(t *testing.T) {
	for want, a := range map[string]Agent{
		"hotspan/devel grpc-go/":                         {},
		"hotspan/v1.2.3 grpc-go/":                        {Version: "v1.2.3"},
		"hotspan/v1.2.3 (commit 0a, BPF object 1b) grpc": {Version: "v1.2.3", Build: "commit 0a, BPF object 1b"},
	} {
		s := serve(t, &server{})
		e := dial(t, "http://"+s.address, Config{Agent: a})
		if err := e.Write(t.Context(), randomSnapshot(1, 3)); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(s.metadata.Get("user-agent"), "|"); !strings.HasPrefix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestConfigErrors(t *testing.T) {
	for _, c := range []struct {
		config Config
		want   string
	}{
		{Config{Compression: "br"}, `otlp: Compression "br" is none of gzip, zstd and none`},
		{Config{MaxMessage: -1}, "otlp: MaxMessage -1 is negative"},
		{Config{Timeout: -time.Second}, "otlp: Timeout -1s is negative"},
		{Config{GiveUp: -1}, "otlp: GiveUp -1ns is negative"},
		{Config{Agent: Agent{Version: "1\r\nx: y"}}, "otlp: Agent: Version and Build must be printable ASCII"},
		{Config{Agent: Agent{Build: "ü"}}, "otlp: Agent: Version and Build must be printable ASCII"},
	} {
		if e, err := Dial("http://127.0.0.1", c.config); err == nil || err.Error() != c.want || e != nil {
			t.Errorf("%v and %v, want %s", e, err, c.want)
		}
	}
}

// TestBadHeader: gRPC refuses a header that HTTP/2 does not allow; Write says so.
func TestBadHeader(t *testing.T) {
	s := serve(t, &server{})
	e := dial(t, "http://"+s.address, Config{Headers: map[string]string{"a b": "c"}})
	err := e.Write(t.Context(), &pprofx.Snapshot{Lost: map[pprofx.LostReason]int64{pprofx.LostLate: 1}})
	if err == nil || !strings.Contains(err.Error(), "illegal characters") || s.tries != 0 {
		t.Errorf("%v, %d tries", err, s.tries)
	}
}

func TestMalformedSnapshot(t *testing.T) {
	s := serve(t, &server{})
	malformed := randomSnapshot(1, 3)
	malformed.Rows[2].Stack = 1 << 20
	err := dial(t, "http://"+s.address, Config{}).Write(t.Context(), malformed)
	if err == nil || !strings.Contains(err.Error(), "row 2: stack 1048576 of") || s.tries != 0 {
		t.Errorf("%v, %d tries", err, s.tries)
	}
}
