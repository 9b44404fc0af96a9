package pprofx

import (
	"fmt"
	"strings"
	"testing"
)

// TestReasonTexts: programs read these texts, in JSON lines, in pprof's comments and in OTLP's attributes.
func TestReasonTexts(t *testing.T) {
	for reason, want := range map[fmt.Stringer]string{
		StopUnknown:    "unknown",
		StopRoot:       "root",
		StopDepth:      "too deep",
		StopUnreadable: "stack unreadable",
		StopNoRule:     "no unwind rule",
		StopNoProgress: "no progress",
		StopBadPC:      "bad return address",
		LostUnknown:    "unknown",
		LostLate:       "late",
		LostFull:       "full",
		LostRingFull:   "ring buffer full",
		LostMalformed:  "malformed record",
		LostExited:     "process exited",
		LostLimited:    "rate limit",
		LostOverlapped: "another hit",
		LostNested:     "nested too deep",
		LostUnsafe:     "called by V8",
		LostElsewhere:  "not in a system call",
		LostRest:       "after the last sample",
	} {
		if got := reason.String(); got != want {
			t.Errorf("%T %d: %q, want %q", reason, reason, got, want)
		}
	}
}

// TestUnknownNumbers: a number of no constant has a text too.
func TestUnknownNumbers(t *testing.T) {
	for want, unknown := range map[string]fmt.Stringer{
		"Kind(8)": Marker + 1, "Tier(5)": TurboFan + 1, "State(6)": StateIdle + 1,
		"StopReason(7)": StopBadPC + 1, "LostReason(12)": LostRest + 1, "LostReason(255)": LostReason(255),
	} {
		if got := unknown.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for k := range Marker + 1 {
		if strings.Contains(k.String(), "(") {
			t.Errorf("kind %d has no name", k)
		}
	}
}
