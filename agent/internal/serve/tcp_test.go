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

// Over the network there is everything for those who have the token, and nothing for others, nor without TLS.
func TestTCP(t *testing.T) {
	s := start(t, 2, 101)
	web := httptest.NewUnstartedServer(nil) // for its certificate, which is good for 127.0.0.1
	web.StartTLS()
	defer web.Close()
	own := &tls.Config{Certificates: web.TLS.Certificates}
	address, err := s.server.ListenTCP("127.0.0.1:0", own, "the right token")
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(web.Certificate())
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
		c, err := client.DialTLS(address.String(), test.token, test.config)
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
	plain, err := grpc.NewClient(address.String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	if _, err := healthpb.NewHealthClient(plain).Check(t.Context(), &healthpb.HealthCheckRequest{}); err == nil {
		t.Error("there is an answer without TLS")
	}
}

// TestTCPHosts: a host that holds all connections it can get, without the token, does not keep another one out.
func TestTCPHosts(t *testing.T) {
	s := start(t, 0)
	web := httptest.NewUnstartedServer(nil)
	web.StartTLS()
	defer web.Close()
	address, err := s.server.ListenTCP("127.0.0.1:0", &tls.Config{Certificates: web.TLS.Certificates}, "the token")
	if err != nil {
		t.Fatal(err)
	}
	connect := func(host string) *tls.Conn {
		dialer := tls.Dialer{
			NetDialer: &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(host)}},
			Config:    &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}},
		}
		c, err := dialer.DialContext(t.Context(), "tcp", address.String())
		if err != nil {
			return nil
		}
		t.Cleanup(func() { c.Close() })
		return c.(*tls.Conn)
	}
	var held []*tls.Conn
	for range 64 {
		if c := connect("127.0.0.1"); c != nil {
			held = append(held, c)
		}
	}
	if len(held) != 32 {
		t.Errorf("a host has %d connections, want 32", len(held))
	}
	if connect("127.0.0.2") == nil {
		t.Error("another host is kept out")
	}
	for _, c := range held {
		c.Close()
	}
	for connect("127.0.0.1") == nil { // until the server has seen it, or the test takes too long
		time.Sleep(10 * time.Millisecond)
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
