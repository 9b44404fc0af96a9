package serve

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// TestWork: callers that may not have everything have a tenth of a CPU for all that is done for them, and those that
// may do not wait for it.
func TestWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Server{working: make(chan struct{}, maxWorking), resting: make(chan struct{}, 1)}
		const each, times = 20 * time.Millisecond, 5
		do := func() error { time.Sleep(each); return nil }
		took := func(all bool) time.Duration {
			begin := time.Now()
			for range times {
				if err := s.work(t.Context(), all, do); err != nil {
					t.Error(err)
				}
			}
			return time.Since(begin)
		}
		if got, want := took(false), times*each+(times-1)*restFactor*each; got != want {
			t.Errorf("it takes %v, want %v", got, want)
		}
		if got := took(true); got != times*each {
			t.Errorf("of a caller that may have everything it takes %v", got)
		}
		ctx, stop := context.WithTimeout(t.Context(), each)
		defer stop()
		if err := s.work(ctx, false, do); err == nil {
			t.Error("there is no rest")
		}
		time.Sleep(time.Minute)
	})
}
