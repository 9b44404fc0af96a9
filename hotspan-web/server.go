package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/google/pprof/profile"
)

// server shows one profile.
type server struct {
	net.Listener
	token string
}

// listen listens on a port of 127.0.0.1, on a free one for 0.
func listen(port string) (*server, error) {
	l, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", port))
	if err != nil {
		return nil, err
	}
	return &server{l, newToken()}, nil
}

// serve serves a page, and below pprof/ what pprof makes of a profile, until the context ends. It prints where.
func (s *server) serve(ctx context.Context, p *profile.Profile, page *os.File, source bool) error {
	handlers, err := interfaceOf(p, source)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) { showPage(w, r, page) })
	for path, h := range handlers {
		if path == "/" {
			path = "/{$}"
		}
		mux.Handle("GET /pprof"+path, h)
	}
	if !source {
		sorry := func(w http.ResponseWriter, _ *http.Request) { http.Error(w, noSource, http.StatusNotFound) }
		mux.HandleFunc("GET /pprof/source", sorry)
		mux.HandleFunc("GET /pprof/disasm", sorry)
	}
	server := http.Server{Handler: guarded(s.token, mux), ReadHeaderTimeout: 10 * time.Second}
	defer context.AfterFunc(ctx, func() { server.Close() })()
	fmt.Printf("http://%v/%s/       by time, route, function, thread and trace\n", s.Addr(), s.token)
	fmt.Printf("http://%v/%s/pprof/ in pprof\n", s.Addr(), s.token)
	fmt.Println("Only who knows these addresses can read them. Press Ctrl-C to stop.")
	if err := server.Serve(s); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func showPage(w http.ResponseWriter, r *http.Request, page *os.File) {
	info, err := page.Stat()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	http.ServeContent(w, r, "", info.ModTime(), io.NewSectionReader(page, 0, info.Size()))
}
