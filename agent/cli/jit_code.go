package cli

import (
	"fmt"

	"github.com/hotspan/hotspan/agent/internal/jitcode"
)

// openCode opens what keeps machine code; nil if nothing does.
func (r *recordCmd) openCode() (*jitcode.Recorder, error) {
	switch {
	case r.JITCode == "":
		return nil, nil
	case r.measured() != "":
		return nil, usagef("--jit-code counts what CPU time is spent on, not %s", r.measured())
	}
	return jitcode.Open(r.JITCode)
}

func closeCode(code *jitcode.Recorder) (jitcode.Stats, error) {
	if code == nil {
		return jitcode.Stats{}, nil
	}
	return code.Close()
}

// sayCode says how much machine code was copied, and what is missing.
func (r *recordCmd) sayCode(c console, s jitcode.Stats) {
	if r.JITCode == "" {
		return
	}
	fmt.Fprintf(c, "machine code: %d pieces copied%s, %d samples at their instructions%s\n", s.Pieces,
		counts(map[string]int64{"too large": s.Large, "gone": s.Unread}), s.Samples,
		counts(map[string]int64{"in no copied code": s.Lost}))
	if s.Samples > 0 {
		fmt.Fprintf(c, "next: hotspan annotate %s\n", r.JITCode)
	}
}
