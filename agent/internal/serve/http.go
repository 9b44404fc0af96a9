package serve

import (
	"context"
	"net"
	"net/http"
	"runtime/pprof"
	"strconv"
	"time"
)

// serveHTTP serves sessions, and the agent's own profiles to callers that may have everything. (Package net/http/pprof
// would make the program half a megabyte larger.)
func (s *Server) serveHTTP(l net.Listener) {
	mux := http.NewServeMux()
	mux.Handle("GET /debug/pprof/profile", onlyAll(ownCPU))
	mux.Handle("GET /debug/pprof/{name}", onlyAll(ownProfile))
	mux.HandleFunc("POST /session", s.session)
	mux.HandleFunc("GET /session/{id}", s.shares.serve)
	s.http = &http.Server{
		Handler: mux, ReadHeaderTimeout: speakTime, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			if known, ok := c.(*conn); ok {
				ctx = context.WithValue(ctx, callerKey{}, known.caller)
			}
			return ctx
		},
	}
	go s.http.Serve(l)
}

// onlyAll refuses callers that may not have everything.
func onlyAll(next http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if who, ok := r.Context().Value(callerKey{}).(caller); !ok || !who.all {
			http.Error(w, "this is for root", http.StatusForbidden)
			return
		}
		next(w, r)
	})
}

// ownProfile writes a profile of package runtime/pprof, such as heap or goroutine.
func ownProfile(w http.ResponseWriter, r *http.Request) {
	p := pprof.Lookup(r.PathValue("name"))
	if p == nil {
		http.NotFound(w, r)
		return
	}
	debug, _ := strconv.Atoi(r.FormValue("debug"))
	_ = p.WriteTo(w, debug) // the caller has gone
}

// ownCPU writes a CPU profile of the next seconds.
func ownCPU(w http.ResponseWriter, r *http.Request) {
	seconds, err := strconv.Atoi(r.FormValue("seconds"))
	if err != nil || seconds < 1 || seconds > 600 {
		seconds = 30
	}
	if err := pprof.StartCPUProfile(w); err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	defer pprof.StopCPUProfile()
	select {
	case <-time.After(time.Duration(seconds) * time.Second):
	case <-r.Context().Done():
	}
}
