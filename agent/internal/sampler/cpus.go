package sampler

import (
	"log/slog"
	"time"
)

// FollowCPUs has CPUs sampled, too, that have come online since it was called last.
func (s *Sampler) FollowCPUs(log *slog.Logger) {
	if s.hotplug == nil || !s.hotplug.Changed() {
		return
	}
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
