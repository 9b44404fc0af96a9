package pprofx

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// noStack is the line of a sample without thread name and frames.
const noStack = "[no stack]"

// WriteCollapsed writes a snapshot as collapsed stacks, which flamegraph.pl, inferno and speedscope read. Each distinct
// stack has one line "thread;root;…;leaf count"; lines are sorted. The first frame is the name of the thread, where the
// stackcollapse scripts put the process. A frame with a source file is "name file:line". A kernel frame ends in _[k],
// from which flamegraph.pl chooses a colour. A semicolon in a name becomes a colon.
func WriteCollapsed(w io.Writer, s *Snapshot) error {
	if err := s.Check(); err != nil {
		return err
	}
	lines := collapse(s)
	out := bufio.NewWriter(w)
	for _, line := range slices.Sorted(maps.Keys(lines)) {
		fmt.Fprintf(out, "%s %d\n", line, lines[line])
	}
	return out.Flush()
}

// collapse counts the samples of each line.
func collapse(s *Snapshot) map[string]int64 {
	type threadStack struct {
		thread, stack int32
	}
	counts := make(map[threadStack]int64)
	for i := range s.Rows {
		counts[threadStack{s.Rows[i].Thread, s.Rows[i].Stack}]++
	}
	frames := make([]string, len(s.Frames))
	for i, f := range s.Frames {
		frames[i] = collapsedFrame(f)
	}
	lines := make(map[string]int64)
	for key, n := range counts {
		lines[collapsedLine(s.Threads[key.thread], s.Stacks[key.stack], frames)] += n
	}
	return lines
}

func collapsedLine(thread string, stack []int32, frames []string) string {
	parts := make([]string, 0, len(stack)+1)
	if thread != "" {
		parts = append(parts, collapsedName(thread))
	}
	for _, f := range slices.Backward(stack) {
		parts = append(parts, frames[f])
	}
	if len(parts) == 0 {
		return noStack
	}
	return strings.Join(parts, ";")
}

func collapsedFrame(f *Frame) string {
	name := collapsedName(frameText(f))
	if f.Kind == Kernel {
		name += "_[k]"
	}
	return name
}

// collapsedName replaces what readers would misread in a name: a semicolon ends a frame, and flamegraph.pl reads a
// number after a blank at the end of a stack as a second count.
func collapsedName(s string) string {
	s = strings.TrimSpace(strings.ReplaceAll(oneLine(s), ";", ":"))
	blank := strings.LastIndexByte(s, ' ')
	if blank >= 0 && strings.Trim(s[blank+1:], "0123456789.") == "" {
		s = s[:blank] + "_" + s[blank+1:]
	}
	return s
}
