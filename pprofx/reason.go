package pprofx

// StopReason says why the walk of a stack ended.
type StopReason uint8

// The stop reasons. Only a stack that ends with StopRoot is complete.
const (
	StopUnknown    StopReason = iota
	StopRoot                  // the walk reached the thread's first frame
	StopDepth                 // the stack has more frames than a walk visits
	StopUnreadable            // memory of the stack could not be read
	StopNoRule                // nothing says how to unwind the code of a frame
	StopNoProgress            // the next frame would not be above this one
	StopBadPC                 // a return address points to no code
)

var stopNames = [...]string{
	StopUnknown:    "unknown",
	StopRoot:       "root",
	StopDepth:      "too deep",
	StopUnreadable: "stack unreadable",
	StopNoRule:     "no unwind rule",
	StopNoProgress: "no progress",
	StopBadPC:      "bad return address",
}

// String returns the text that stands in JSON lines and in OTLP's attribute hotspan.stop.
func (r StopReason) String() string { return nameOf("StopReason", stopNames[:], uint8(r)) }

// UnmarshalText reads what String returns. An unknown name is an error.
func (r *StopReason) UnmarshalText(text []byte) error {
	return parseName(r, "StopReason", stopNames[:], text)
}

// LostReason says why a sample that was taken is in no row of a snapshot.
type LostReason uint8

// The lost reasons. A Builder counts LostLate and LostFull itself; others come through Lose.
const (
	LostUnknown    LostReason = iota
	LostLate                  // older than the open interval: its own interval was cut before the sample came
	LostFull                  // MaxRows samples were waiting for a cut
	LostRingFull              // the buffer between kernel and profiler had no room
	LostMalformed             // the record could not be decoded
	LostExited                // the process had ended before the sample was handled
	LostLimited               // hits of a probe beyond the samples a second that it may have
	LostOverlapped            // hits of a probe, or ticks of a timer beside it, while one was being sampled on the CPU
	LostNested                // hits of a uretprobe that the kernel left out: the thread had too many calls pending
	LostUnsafe                // hits of a uretprobe that were left out: V8's code had called, which looks at its stack
	LostElsewhere             // hits of a tracepoint outside of system calls: in interrupts, which serve anybody
	LostRest                  // hits of a probe after its last sample on a CPU, where each N-th was to have one
)

var lostNames = [...]string{
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
}

// String returns the text that stands in the comments of a pprof file and in OTLP's attributes hotspan.lost.REASON.
func (r LostReason) String() string { return nameOf("LostReason", lostNames[:], uint8(r)) }

// UnmarshalText reads what String returns. An unknown name is an error.
func (r *LostReason) UnmarshalText(text []byte) error {
	return parseName(r, "LostReason", lostNames[:], text)
}
