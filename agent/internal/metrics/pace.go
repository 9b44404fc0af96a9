package metrics

import (
	"net/http"
	"time"
)

// every is how often a request is answered, at most. Anybody on the machine may ask, and the CPU time that it takes is
// in the agent's budget: who asks all the time would have it lower its rate.
const every = 20 * time.Millisecond

// paced answers requests in the order in which they come, not more often than every.
func paced(next http.Handler) http.Handler {
	turn := make(chan struct{}, 1)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case turn <- struct{}{}:
			time.AfterFunc(every, func() { <-turn })
			next.ServeHTTP(w, r)
		case <-r.Context().Done():
		}
	})
}
