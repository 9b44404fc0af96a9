package recording

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/hotspan/hotspan/agent/cli/exit"
	"github.com/hotspan/hotspan/pprofx"
)

// rowFlags choose samples of recordings by what is neither a label nor a time.
type rowFlags struct {
	State  []pprofx.State `help:"${state}." placeholder:"STATE,…"`
	Thread string         `help:"Only samples of threads with this name or number." placeholder:"NAME|TID"`
	PID    int            `name:"pid" help:"Only samples of the process with this number." placeholder:"PID"`
	Older  time.Duration  `help:"${older}" placeholder:"TIME"`
	Focus  string         `help:"Only samples with a function or file in the stack that matches." placeholder:"REGEX"`
}

// RowFilter chooses samples by what is neither a label nor a time.
type RowFilter struct {
	states []pprofx.State
	thread string
	tid    int32
	pid    int32          // 0: any
	Older  int64          // nanoseconds; 0: any
	focus  *regexp.Regexp // nil: any
}

func (f *rowFlags) rowFilter() (*RowFilter, error) {
	chosen := &RowFilter{states: f.State, thread: f.Thread, pid: int32(f.PID), Older: f.Older.Nanoseconds()}
	if f.PID < 0 || f.PID > math.MaxInt32 {
		return nil, exit.Usagef("--pid %d: no number of a process", f.PID)
	}
	if f.Older < 0 {
		return nil, exit.Usagef("--older %v: less than 0", f.Older)
	}
	if tid, err := strconv.ParseInt(f.Thread, 10, 32); err == nil {
		chosen.tid = int32(tid)
	}
	var err error
	if f.Focus != "" {
		chosen.focus, err = regexp.Compile(f.Focus)
	}
	if err != nil {
		return nil, exit.Usagef("--focus: %v", err)
	}
	return chosen, nil
}

// Apply returns the samples of s that are chosen, with its interval and its losses.
func (f *RowFilter) Apply(s *pprofx.Snapshot) *pprofx.Snapshot {
	if len(f.states) == 0 && f.thread == "" && f.pid == 0 && f.Older == 0 && f.focus == nil {
		return s
	}
	stacks := f.stacks(s)
	return s.Where(func(r *pprofx.Row) bool {
		return stacks[r.Stack] && (f.pid == 0 || r.PID == f.pid) &&
			(len(f.states) == 0 || slices.Contains(f.states, r.State)) &&
			(f.Older == 0 || r.Start != 0 && r.Time-r.Start >= f.Older) &&
			(f.thread == "" || s.Threads[r.Thread] == f.thread || f.tid != 0 && r.TID == f.tid)
	})
}

// stacks says which stacks have a frame that matches.
func (f *RowFilter) stacks(s *pprofx.Snapshot) []bool {
	frames, stacks := make([]bool, len(s.Frames)), make([]bool, len(s.Stacks))
	for i, frame := range s.Frames {
		frames[i] = f.focus == nil || f.focus.MatchString(frame.Function) || f.focus.MatchString(frame.File)
	}
	for i, stack := range s.Stacks {
		stacks[i] = f.focus == nil || slices.ContainsFunc(stack, func(frame int32) bool { return frames[frame] })
	}
	return stacks
}

// OlderText says which samples --older chooses.
func OlderText(older time.Duration) string { return fmt.Sprintf("requests of %v and more", older) }
