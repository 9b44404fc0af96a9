package serve

import (
	"testing"
	"testing/synctest"
	"time"
)

// A user who begins captures all the time, and ends them, begins as many as have a place, each time that one is given
// back. Root has its own at once.
func TestQuotaStay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQuota(4, 2, leastCapture)
		for who, most := range map[caller]int{{uid: 1}: 2 * 5, {all: true}: 1000} {
			begun := 0
			for range 1000 {
				if end, err := q.take(who); err == nil {
					begun++
					end()
				}
				time.Sleep(leastCapture * 5 / 1000)
			}
			if begun != most {
				t.Errorf("%+v: %d were begun in the time of five captures, want %d", who, begun, most)
			}
		}
		time.Sleep(leastCapture)
		if len(q.byUser) != 0 || q.total[false] != 0 || q.total[true] != 0 {
			t.Errorf("left: %v %v", q.byUser, q.total)
		}
	})
}
