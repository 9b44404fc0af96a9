package metrics

import (
	"net"
	"net/http"
	"strings"
	"time"
)

// bodyTime is how long a caller may take to send the body that it has announced, which nobody reads.
const bodyTime = 5 * time.Second

// guarded answers those who ask for this machine by its address or as localhost. A page of a browser on this machine
// could ask too, as the server that it comes from, if that has its name lead here (DNS rebinding).
func guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength != 0 {
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTime)) // any server of net/http can
		}
		if !isAddress(r.Host) {
			http.Error(w, "ask for the address of this machine, or for localhost", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// isAddress reports whether a Host header is what no server of names can make up. In HTTP/1.0 there need be none.
func isAddress(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.Trim(host, "[]")
	}
	return name == "" || strings.EqualFold(name, "localhost") || net.ParseIP(name) != nil
}
