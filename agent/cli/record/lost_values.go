package record

import (
	"strings"

	"github.com/hotspan/hotspan/agent/internal/trigger"
	"github.com/hotspan/hotspan/pprofx"
)

// valueLost is what no sample stands for of what the hits of a probe stand for: hits are lost, or it is after the last
// sample.
func valueLost(h trigger.Hits) int64 { return h.Weight - h.Sampled }

// lostValues returns that by the reason. The BPF program counts the hits that it leaves out by reasons, but not their
// values: where there are several reasons, the names of all are joined by "or".
func lostValues(h trigger.Hits, all map[pprofx.LostReason]int64) map[string]int64 {
	out, rest := map[string]int64{}, valueLost(h)
	for reason, value := range h.LostWeight {
		if value > 0 {
			out[reason.String()] = value
			rest -= value
		}
	}
	if rest > 0 {
		out[whyLeftOut(h, all)] += rest
	}
	return out
}

// whyLeftOut names the reasons for which the BPF program has left out hits with values. That the ring buffer was full,
// or records were malformed, is counted of all probes together.
func whyLeftOut(h trigger.Hits, all map[pprofx.LostReason]int64) string {
	var names []string
	for _, reason := range []pprofx.LostReason{pprofx.LostLimited, pprofx.LostOverlapped, pprofx.LostElsewhere} {
		// with every= the limit may leave out a sample that stands for values and for no hit
		if h.Lost[reason] > 0 || h.Every && reason == pprofx.LostLimited {
			names = append(names, reason.String())
		}
	}
	for _, reason := range []pprofx.LostReason{pprofx.LostRingFull, pprofx.LostMalformed} {
		if all[reason] > 0 {
			names = append(names, reason.String())
		}
	}
	if len(names) == 0 {
		return pprofx.LostUnknown.String()
	}
	return strings.Join(names, " or ")
}
