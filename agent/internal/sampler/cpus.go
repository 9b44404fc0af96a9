package sampler

import (
	"log/slog"
	"time"
)

// followEvery is how often FollowCPUs looks which CPUs are online. Nothing tells that one has come: no sample on it
// wakes hotspan.
const followEvery = 2 * time.Second

// followEarly is when it looks if hotspan is awake anyway, so that it is not woken for that alone while it has samples
// to read: it reads them three times in what lies between.
const followEarly = followEvery - 2*readAfter

// NextFollow is when FollowCPUs has something to do.
func (s *Sampler) NextFollow() time.Time { return s.followed.Add(followEvery) }

// FollowCPUs has CPUs sampled, too, that have come online since it looked last, if it is time for that.
func (s *Sampler) FollowCPUs(now time.Time, log *slog.Logger) {
	if now.Sub(s.followed) < followEarly {
		return
	}
	s.followed = now
	if s.trigger != nil {
		came, err := s.trigger.Follow()
		for _, cpu := range came {
			log.Warn("a CPU has come online: it is sampled from now on", "cpu", cpu)
		}
		if err != nil {
			log.Warn("a CPU that has come online cannot be sampled", "why", err)
		}
	}
	if s.offCPU != nil {
		if err := s.offCPU.Follow(); err != nil {
			log.Warn("page faults on a CPU that has come online are not seen", "why", err)
		}
	}
}

// Throttled returns for how long the kernel has let no timer fire, all CPUs together, since they fired too often.
func (s *Sampler) Throttled() time.Duration {
	if s.trigger != nil {
		return s.trigger.Throttled()
	}
	return s.throttled
}
