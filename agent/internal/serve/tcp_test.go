package serve_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	"github.com/hotspan/hotspan/agent/client"
)

// listenTCP has the server listen on the network, and returns where, and who has signed its certificate.
func (s *served) listenTCP(t *testing.T, token string) (address string, roots *x509.CertPool) {
	t.Helper()
	web := httptest.NewUnstartedServer(nil) // for its certificate, which is good for 127.0.0.1
	web.StartTLS()
	t.Cleanup(web.Close)
	at, err := s.server.ListenTCP("127.0.0.1:0", &tls.Config{Certificates: web.TLS.Certificates}, token)
	if err != nil {
		t.Fatal(err)
	}
	roots = x509.NewCertPool()
	roots.AddCert(web.Certificate())
	return at.String(), roots
}

// Over the network there is everything for those who have the token, and nothing for others, nor without TLS.
func TestTCP(t *testing.T) {
	address, roots := start(t, 2, 101).listenTCP(t, "the right token")
	for name, test := range map[string]struct {
		token  string
		config *tls.Config
		want   error
	}{
		"right":       {"the right token", &tls.Config{RootCAs: roots}, nil},
		"wrong token": {"the wrong token", &tls.Config{RootCAs: roots}, client.ErrNotAllowed},
		"no token":    {"", &tls.Config{RootCAs: roots}, client.ErrNotAllowed},
		"unknown CA":  {"the right token", &tls.Config{RootCAs: x509.NewCertPool()}, client.ErrNoAgent},
	} {
		c, err := client.DialTLS(address, test.token, test.config)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := c.Status(t.Context()); !errors.Is(err, test.want) {
			t.Errorf("%s: status: %v, want %v", name, err, test.want)
		}
		snapshots := 0
		for e, err := range c.Stream(t.Context(), client.Snapshots{}) {
			if !errors.Is(err, test.want) {
				t.Errorf("%s: stream: %v, want %v", name, err, test.want)
			}
			if e.Snapshot != nil {
				snapshots++
			}
		}
		if want := map[bool]int{true: 2}[test.want == nil]; snapshots != want {
			t.Errorf("%s: %d snapshots, want %d", name, snapshots, want)
		}
	}
	plain, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	if _, err := healthpb.NewHealthClient(plain).Check(t.Context(), &healthpb.HealthCheckRequest{}); err == nil {
		t.Error("there is an answer without TLS")
	}
}

// TestTCPHosts: a host that holds all connections it can get, without the token, does not keep out one who has it, nor
// end what that one has begun.
func TestTCPHosts(t *testing.T) {
	s := start(t, 1)
	address, roots := s.listenTCP(t, "the token")
	dial := func() *client.Client {
		c, err := client.DialTLS(address, "the token", &tls.Config{RootCAs: roots})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
	follows, end := context.WithCancel(t.Context())
	first, ended := make(chan struct{}, 1), make(chan error)
	go func() {
		for e, err := range dial().Stream(follows, client.Snapshots{Follow: true}) {
			if err != nil {
				ended <- err
				return
			}
			if e.Snapshot != nil {
				first <- struct{}{}
			}
		}
		ended <- nil
	}()
	<-first
	for range 64 {
		c, err := tls.Dial("tcp", address, &tls.Config{RootCAs: roots, NextProtos: []string{"h2"}})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	if _, err := dial().Status(t.Context()); err != nil {
		t.Error(err)
	}
	select {
	case err := <-ended:
		t.Errorf("who follows has been ended: %v", err)
	default:
	}
	end()
	<-ended
}

// TestHalfOpen: who connects all the time and begins no handshake, or only half of one, does not keep out one of the
// same host who has the token.
func TestHalfOpen(t *testing.T) {
	s := start(t, 0)
	address, roots := s.listenTCP(t, "the token")
	c, err := client.DialTLS(address, "the token", &tls.Config{RootCAs: roots})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	flood, end := context.WithCancel(t.Context())
	defer end()
	for _, says := range []string{"", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc"} {
		go func() {
			for flood.Err() == nil {
				if c, err := net.Dial("tcp", address); err == nil {
					defer c.Close()
					_, _ = io.WriteString(c, says) // it may have ended
				}
			}
		}()
	}
	time.Sleep(time.Second)
	if _, err := c.Status(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestHandshakes: who asks for handshakes all the time, without the token, gets a few: each takes the agent's CPU time.
func TestHandshakes(t *testing.T) {
	address, _ := start(t, 0).listenTCP(t, "the token")
	const callers, most = 8, 25 // a second
	anybody := &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}}
	counts := make(chan int)
	begin := time.Now()
	for range callers {
		go func() {
			made := 0
			for time.Since(begin) < 2*time.Second {
				c, err := tls.Dial("tcp", address, anybody)
				if err == nil {
					c.Close()
					made++
				}
			}
			counts <- made
		}()
	}
	sum := 0
	for range callers {
		sum += <-counts
	}
	if took := time.Since(begin); sum == 0 || float64(sum) > took.Seconds()*most {
		t.Errorf("%d handshakes in %v, want 1 to %d a second", sum, took, most)
	}
}

// On the socket there are grpc.health.v1 too, and for root the agent's own profiles.
func TestHealthAndProfiles(t *testing.T) {
	s := start(t, 0)
	conn, err := grpc.NewClient("unix:"+s.socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	health, err := healthpb.NewHealthClient(conn).Check(t.Context(), &healthpb.HealthCheckRequest{})
	if err != nil || health.Status != healthpb.HealthCheckResponse_SERVING {
		t.Errorf("%v, %v", health, err)
	}
	web := http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		return net.Dial("unix", s.socket)
	}}}
	for path, want := range map[string]int{
		"heap": http.StatusOK, "goroutine": http.StatusOK, "profile?seconds=1": http.StatusOK,
		"none": http.StatusNotFound,
	} {
		answer, err := web.Get("http://agent/debug/pprof/" + path)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if answer.StatusCode != want || want == http.StatusOK && (len(b) < 100 || b[0] != 0x1f) || err != nil {
			t.Errorf("%s: %d, %d bytes, %v", path, answer.StatusCode, len(b), err)
		}
	}
}
