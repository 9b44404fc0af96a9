// Package metrics serves what the agent knows of itself over HTTP, on loopback: /metrics in Prometheus's format,
// /healthz and /readyz.
package metrics

import (
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/hotspan/hotspan/agent/internal/share"
)

// Server serves until Close.
type Server struct {
	listener net.Listener
	server   *http.Server
}

// Listen serves at HOST:PORT, which must be on loopback: nobody is asked for a password. read is called for each
// request, from any goroutine. profiles, if it is not nil, answers at /debug/pprof/profile, and asks for a password.
// log gets the connections that are refused.
func Listen(address string, read func() Values, profiles http.Handler, log *slog.Logger) (*Server, error) {
	if err := CheckAddress(address); err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	s := &Server{listener, &http.Server{
		Handler: handler(read, profiles), ReadHeaderTimeout: 5 * time.Second, WriteTimeout: 30 * time.Second,
		IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10, ConnContext: share.WithConn,
	}}
	go s.server.Serve(share.ByHost(listener, log))
	return s, nil
}

// CheckAddress returns an error if Listen would refuse HOST:PORT as such.
func CheckAddress(address string) error {
	host, _, err := net.SplitHostPort(address)
	if ip := net.ParseIP(host); err == nil && host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		err = fmt.Errorf("%s: want an address on loopback, such as 127.0.0.1:7071", address)
	}
	return err
}

// Address returns HOST:PORT.
func (s *Server) Address() string { return s.listener.Addr().String() }

// Close ends the server and its connections.
func (s *Server) Close() error { return s.server.Close() }

func handler(read func() Values, profiles http.Handler) http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collector{read}, collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		collectors.NewGoCollector())
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", newText(registry))
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, !read().Cut.IsZero(), "sampling", "not sampling yet")
	})
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		v := read()
		since := time.Since(v.Cut).Round(time.Millisecond)
		answer(w, since < v.Hung, "ok", fmt.Sprintf("no snapshot for %v", since))
	})
	if profiles != nil {
		mux.Handle("GET /debug/pprof/profile", profiles)
	}
	return paced(guarded(mux))
}

func answer(w http.ResponseWriter, ok bool, yes, no string) {
	if !ok {
		http.Error(w, no, http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, yes)
}
