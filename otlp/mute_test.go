package otlp

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// proxy passes on what comes to the address that it returns. Once mute is set, it does not for the connections that it
// has then, and closes none, as a load balancer does whose server has gone.
func proxy(t *testing.T, to string) (address string, mute func()) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	var age, dead atomic.Int32
	pass := func(of int32, to, from net.Conn) {
		defer to.Close()
		b := make([]byte, 4<<10)
		for {
			n, err := from.Read(b)
			if err != nil {
				return
			}
			if of < dead.Load() {
				continue
			}
			if _, err := to.Write(b[:n]); err != nil {
				return
			}
		}
	}
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", to)
			if err != nil {
				in.Close()
				continue
			}
			go pass(age.Load(), out, in)
			go pass(age.Load(), in, out)
		}
	}()
	return l.Addr().String(), func() { dead.Store(age.Add(1)) }
}

// A connection that nobody answers any more is not kept for ever: the next try has a new one.
func TestMuteConnection(t *testing.T) {
	overGRPC := serve(t, &server{})
	overHTTP2 := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	overHTTP2.EnableHTTP2 = true
	overHTTP2.StartTLS()
	defer overHTTP2.Close()
	trusted := overHTTP2.Client().Transport.(*http.Transport).TLSClientConfig
	for name, c := range map[string]struct {
		scheme, to string
		Config
	}{
		"gRPC":   {"http://", overGRPC.address, Config{}},
		"HTTP/2": {"https://", overHTTP2.Listener.Addr().String(), Config{Protocol: HTTP, TLS: trusted}},
	} {
		at, mute := proxy(t, c.to)
		c.Timeout, c.GiveUp = time.Second, 10*time.Second
		e := dial(t, c.scheme+at, c.Config)
		if err := e.Write(t.Context(), randomSnapshot(1, 9)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		mute()
		if err := e.Write(t.Context(), randomSnapshot(2, 9)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A server that takes connections and never answers is said to do so.
func TestNoAnswer(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	for _, protocol := range []Protocol{GRPC, HTTP} {
		c := Config{Protocol: protocol, Timeout: 300 * time.Millisecond, GiveUp: 300 * time.Millisecond}
		e := dial(t, "http://"+silent.Addr().String(), c)
		for _, err := range []error{e.Try(t.Context()), e.Write(t.Context(), randomSnapshot(1, 9))} {
			if err == nil || !strings.Contains(err.Error(), "no answer within ") {
				t.Errorf("%s: %v", protocol, err)
			}
		}
	}
}
