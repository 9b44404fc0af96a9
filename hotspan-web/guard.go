package main

import (
	"crypto/rand"
	"crypto/subtle"
	"net"
	"net/http"
	"strings"
)

// policy forbids pages all connections but to this server. pprof's pages have their scripts and styles in themselves.
const policy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// guarded answers only those who know the token, which each path begins with: /TOKEN/. It is in the path rather than in
// a cookie, because browsers send cookies to all ports of a host, and so to servers of other users of this machine.
//
// It answers for names of this machine only. A page from elsewhere whose name is made to lead here has another one.
func guarded(token string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		if !local(r.Host) || subtle.ConstantTimeCompare([]byte(given), []byte(token)) != 1 {
			http.Error(w, "hotspan web: this is not the address that it has printed", http.StatusForbidden)
			return
		}
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-store")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		http.StripPrefix("/"+token, next).ServeHTTP(w, r)
	})
}

// local reports whether a request was to a name of this machine. The port may be another one, as through ssh -L.
func local(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	return name == "localhost" || name == "127.0.0.1"
}

// newToken returns what nobody can guess: 128 bits and more.
func newToken() string { return rand.Text() }
