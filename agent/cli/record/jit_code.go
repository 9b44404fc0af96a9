package record

import (
	"fmt"

	"github.com/hotspan/hotspan/agent/cli/exit"
	"github.com/hotspan/hotspan/agent/cli/output"
	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/agent/internal/jitcode"
)

// openCode opens what keeps machine code in a directory; nil if there is none. measured is the flag by which something
// else than CPU time is recorded.
func openCode(dir, measured string) (*jitcode.Recorder, error) {
	switch {
	case dir == "":
		return nil, nil
	case measured != "":
		return nil, exit.Usagef("--jit-code counts what CPU time is spent on, not %s", measured)
	}
	code, err := jitcode.Open(dir)
	if err != nil {
		return nil, err
	}
	return code, output.WritableDir(dir)
}

func closeCode(code *jitcode.Recorder) (jitcode.Stats, error) {
	if code == nil {
		return jitcode.Stats{}, nil
	}
	return code.Close()
}

// sayCode says how much machine code was copied, and what is missing.
func sayCode(c terminal.Console, dir string, s jitcode.Stats) {
	if dir == "" {
		return
	}
	fmt.Fprintf(c, "machine code: %d pieces copied%s, %d samples at their instructions%s\n", s.Pieces,
		terminal.Counts(map[string]int64{"too large": s.Large, "gone": s.Unread}), s.Samples,
		terminal.Counts(map[string]int64{"in no copied code": s.Lost, "in code without symbols": s.Unnamed}))
	if s.Samples > 0 {
		fmt.Fprintf(c, "next: hotspan annotate %s\n", dir)
	}
}
