package output

import (
	"fmt"
	"strings"

	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/pprofx"
)

// FinishAndSay completes a file of samples, and says how many are in it, and what is not.
func (f *File) FinishAndSay(c terminal.Console, rows, lost int64) error {
	left := f.Writer.LeftOut()
	if err := f.Finish(); err != nil {
		return err
	}
	fmt.Fprintf(c, "wrote %s: %d samples%s; %d were lost when it was recorded\n", f.Path,
		rows-left.Samples-left.OtherThreads, OtherThreads(left), lost)
	if left.Samples > 0 {
		fmt.Fprintf(c, "%d more are left out, because the file is full\n", left.Samples)
	}
	if left := LeftOut(left); left != "" {
		fmt.Fprintf(c, "left out of the file, over its limits: %s\n", left)
	}
	return nil
}

// OtherThreads says how many samples are not in the files because these have a single thread; empty if none.
func OtherThreads(l pprofx.LeftOut) string {
	if l.OtherThreads == 0 {
		return ""
	}
	return fmt.Sprintf(" + %d of other threads, for which the format has no room", l.OtherThreads)
}

// LeftOut returns which parts of samples are not in the files; empty if all are.
func LeftOut(l pprofx.LeftOut) string {
	var parts []string
	for _, p := range []struct {
		n    int64
		what string
	}{{l.Stacks, "the stacks of %d samples"}, {l.IDs, "the ids of %d"}, {l.Labels, "the labels of %d"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf(p.what, p.n))
		}
	}
	return strings.Join(parts, ", ")
}
