package serve

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/hotspan/hotspan/agent/internal/live"
	fair "github.com/hotspan/hotspan/agent/internal/share"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/pprof"
)

// Limits of a pulled profile.
const (
	defaultPull = 10 * time.Second
	maxPull     = 60 * time.Second
	maxPulls    = 4 // at the same time
)

// Pull answers scrapers with profiles of the next seconds, as pprof: GET ?seconds=N&service=NAME, where service may be
// repeated or missing, and labels=NAME chooses labels. It wants a token.
func Pull(feed *live.Feed, token string) http.Handler {
	places := make(chan struct{}, maxPulls)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isToken(r.Header.Get("Authorization"), token) {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "want the token: Authorization: Bearer TOKEN", http.StatusUnauthorized)
			return
		}
		fair.KeepOf(r.Context())
		length := defaultPull
		if seconds := r.URL.Query().Get("seconds"); seconds != "" {
			n, err := strconv.Atoi(seconds)
			if err != nil || n < 1 || n > int(maxPull/time.Second) {
				http.Error(w, "seconds: from 1 to 60", http.StatusBadRequest)
				return
			}
			length = time.Duration(n) * time.Second
		}
		select {
		case places <- struct{}{}:
			defer func() { <-places }()
			pull(w, r, feed, length)
		default:
			http.Error(w, "too many profiles are being taken", http.StatusTooManyRequests)
		}
	})
}

func pull(w http.ResponseWriter, r *http.Request, feed *live.Feed, length time.Duration) {
	query := r.URL.Query()
	f := &filter{samples: pprofx.Filter{Services: query["service"]}, allow: query["labels"]}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(2 * maxPull)) // any server of net/http can
	subscription := feed.Subscribe(f.wants)
	defer subscription.Close()
	var out bytes.Buffer
	err := collect(r.Context(), pprof.NewWriter(&out), subscription, f, length)
	subscription.Close() // all losses are counted then
	if err != nil || subscription.Lost() > 0 {
		http.Error(w, "the profile is not whole", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	_, _ = w.Write(out.Bytes()) // the caller has gone
}

// collect completes a file with the samples of a time.
func collect(ctx context.Context, to pprofx.Writer, from *live.Subscription, f *filter, length time.Duration) error {
	end := time.After(length)
	for {
		select {
		case s := <-from.Snapshots():
			if err := to.Add(f.apply(s)); err != nil {
				return err
			}
		case <-end:
			return to.Close()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
