package sampler

import (
	"log/slog"
	"testing"
	"time"
)

// TestFollowCPUs: while samples are read, nothing is due for the CPUs alone. Else they are looked at every two seconds.
func TestFollowCPUs(t *testing.T) {
	s, log := &Sampler{}, slog.New(slog.DiscardHandler)
	begin := time.Now()
	s.FollowCPUs(begin, log)
	times := 1
	for now := begin; now.Sub(begin) < time.Minute; now = now.Add(readAfter) {
		if !now.Before(s.NextFollow()) {
			t.Fatalf("%v after the begin hotspan is woken for the CPUs", now.Sub(begin))
		}
		before := s.followed
		if s.FollowCPUs(now, log); s.followed != before {
			times++
		}
	}
	if times < 30 || times > 50 {
		t.Errorf("looked %d times in a minute", times)
	}
	last := s.followed
	if s.FollowCPUs(last.Add(time.Second), log); s.followed != last {
		t.Error("looked again after a second")
	}
	if next := s.NextFollow(); next.Sub(last) != followEvery {
		t.Errorf("looks again after %v", next.Sub(last))
	}
}
