package pprofx

import (
	"bufio"
	"encoding/binary"
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
func WriteCollapsed(w io.Writer, s *Snapshot) error { return writeOne(newCollapsedWriter(w), s) }

// collapsedWriter counts the samples of each line. It keeps lines as numbers of names, the thread and the root first.
type collapsedWriter struct {
	to    io.Writer
	max   int // of names, and of lines
	names pprofTable
	lines map[string]int64 // key: the numbers, 4 bytes each
	left  LeftOut
	key   []byte // scratch
}

func newCollapsedWriter(w io.Writer) *collapsedWriter {
	return &collapsedWriter{to: w, max: MaxStacks, names: newPprofTable(), lines: make(map[string]int64)}
}

// Add counts the samples of a snapshot.
func (w *collapsedWriter) Add(s *Snapshot) error {
	if err := s.Check(); err != nil {
		return err
	}
	w.left.Stacks += s.Other()
	type threadStack struct{ thread, stack int32 }
	counts := make(map[threadStack]int64)
	var order []threadStack
	for i := range s.Rows {
		key := threadStack{s.Rows[i].Thread, s.Rows[i].Stack}
		if counts[key]++; counts[key] == 1 {
			order = append(order, key)
		}
	}
	frames := make([]string, len(s.Frames))
	for i, f := range s.Frames {
		frames[i] = collapsedFrame(f)
	}
	for _, key := range order {
		w.count(s.Threads[key.thread], s.Stacks[key.stack], frames, counts[key])
	}
	return nil
}

// count counts n samples. Beyond the limit a new line becomes [other].
func (w *collapsedWriter) count(thread string, stack []int32, frames []string, n int64) {
	names := make([]string, 0, len(stack)+1)
	if thread != "" {
		names = append(names, collapsedName(thread))
	}
	for _, f := range slices.Backward(stack) {
		names = append(names, frames[f])
	}
	if len(names) == 0 {
		names = append(names, noStack)
	}
	if !w.find(names) {
		w.left.Stacks += n
		w.key = w.append(w.key[:0], OtherFunction)
	}
	w.lines[string(w.key)] += n
}

// find puts the key of a line into w.key. It is false if the line is over the limit.
func (w *collapsedWriter) find(names []string) bool {
	w.key = w.key[:0]
	for _, name := range names {
		if _, ok := w.names.ids[name]; !ok && len(w.names.texts) >= w.max {
			return false
		}
		w.key = w.append(w.key, name)
	}
	_, ok := w.lines[string(w.key)]
	return ok || len(w.lines) < w.max
}

func (w *collapsedWriter) append(key []byte, name string) []byte {
	id, ok := w.names.ids[name]
	if !ok {
		id = w.names.add(name)
	}
	return binary.LittleEndian.AppendUint32(key, uint32(id))
}

// LeftOut counts the samples whose stack is [other].
func (w *collapsedWriter) LeftOut() LeftOut { return w.left }

// Close writes the lines.
func (w *collapsedWriter) Close() error {
	out := bufio.NewWriter(w.to)
	for _, key := range slices.SortedFunc(maps.Keys(w.lines), w.compare) {
		for at := 0; at < len(key); at += 4 {
			out.WriteString(w.name(key, at))
		}
		fmt.Fprintf(out, " %d\n", w.lines[key])
	}
	return out.Flush()
}

// compare compares lines as text, which need not be put together for it.
func (w *collapsedWriter) compare(a, b string) int {
	at := 0
	for at < len(a) && at < len(b) && a[at:at+4] == b[at:at+4] {
		at += 4
	}
	if at == len(a) || at == len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(w.name(a, at), w.name(b, at))
}

// name returns the name at an offset of a key, and the semicolon behind it if there is one.
func (w *collapsedWriter) name(key string, at int) string {
	name := w.names.texts[binary.LittleEndian.Uint32([]byte(key[at:at+4]))]
	if at+4 < len(key) {
		name += ";"
	}
	return name
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
