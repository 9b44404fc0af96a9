// Package text writes snapshots in text formats of other tools: as collapsed stacks, and as perf script prints samples.
package text

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/hotspan/hotspan/pprofx"
)

// noStack is the line of a sample without thread name and frames.
const noStack = "[no stack]"

// WriteCollapsed writes a snapshot as collapsed stacks, which flamegraph.pl, inferno and speedscope read. Each distinct
// stack has one line "thread;root;…;leaf count"; lines are sorted. The first frame is the name of the thread, where the
// stackcollapse scripts put the process. A frame with a source file is "name file:line". A kernel frame ends in _[k],
// from which flamegraph.pl chooses a colour. A semicolon in a name becomes a colon.
func WriteCollapsed(to io.Writer, s *pprofx.Snapshot) error {
	w := NewCollapsedWriter(to)
	if err := w.Add(s); err != nil {
		return err
	}
	return w.Close()
}

// NewCollapsedWriter returns a Writer of a file as WriteCollapsed writes one. It keeps what is distinct, and writes all
// by Close.
func NewCollapsedWriter(to io.Writer) pprofx.Writer { return newCollapsedWriter(to, pprofx.MaxStacks) }

// collapsedWriter counts the samples of each line. It keeps lines as numbers of names, the thread and the root first.
// Samples of another rate than the first count as so many of those as they stand for, rounded.
type collapsedWriter struct {
	to     io.Writer
	max    int // of names, and of lines
	names  []string
	ids    map[string]int32 // of names
	period int64            // of the first snapshot
	of     pprofx.Measure   // likewise
	lines  map[string]int64 // weights; key: the numbers, 4 bytes each
	left   pprofx.LeftOut
	key    []byte // scratch
}

// The numbers of names that are always there, and of one that is over the limit.
const (
	nameNoStack = iota
	nameOther
	absent = -1
)

func newCollapsedWriter(w io.Writer, limit int) *collapsedWriter {
	names := []string{nameNoStack: noStack, nameOther: pprofx.OtherFunction}
	return &collapsedWriter{
		to: w, max: limit, names: names, ids: map[string]int32{noStack: nameNoStack, names[nameOther]: nameOther},
		lines: make(map[string]int64),
	}
}

// Add counts the samples of a snapshot.
func (w *collapsedWriter) Add(s *pprofx.Snapshot) error {
	if err := s.Check(); err != nil {
		return err
	}
	if w.period != 0 && s.Measure != w.of {
		return pprofx.ErrMixed
	}
	w.left.Stacks += s.Other()
	w.period, w.of = cmp.Or(w.period, s.Period, 1), s.Measure
	type threadStack struct{ thread, stack int32 }
	type sum struct{ samples, weight int64 }
	sums := make(map[threadStack]sum)
	var order []threadStack
	for i := range s.Rows {
		key := threadStack{s.Rows[i].Thread, s.Rows[i].Stack}
		of, ok := sums[key]
		if !ok {
			order = append(order, key)
		}
		sums[key] = sum{of.samples + 1, of.weight + s.Weight(&s.Rows[i])}
	}
	frames := make([]int32, len(s.Frames))
	for i, f := range s.Frames {
		frames[i] = w.number(collapsedFrame(f))
	}
	for _, key := range order {
		w.count(s.Threads[key.thread], s.Stacks[key.stack], frames, sums[key].samples, sums[key].weight)
	}
	return nil
}

// number returns the number of a name, absent if it is over the limit.
func (w *collapsedWriter) number(name string) int32 {
	id, ok := w.ids[name]
	switch {
	case ok:
		return id
	case len(w.names) >= 2+w.max:
		return absent
	}
	id = int32(len(w.names))
	w.names = append(w.names, name)
	w.ids[name] = id
	return id
}

// count counts n samples, which have a weight together. Beyond the limit a new line becomes [other].
func (w *collapsedWriter) count(thread string, stack, frames []int32, n, weight int64) {
	if !w.find(thread, stack, frames) {
		w.left.Stacks += n
		w.key = appendName(w.key[:0], nameOther)
	}
	w.lines[string(w.key)] += weight
}

// find puts the key of a line into w.key. It is false if the line is over the limit.
func (w *collapsedWriter) find(thread string, stack, frames []int32) bool {
	w.key = w.key[:0]
	if thread != "" {
		number := w.number(collapsedName(thread))
		if number == absent {
			return false
		}
		w.key = appendName(w.key, number)
	}
	for _, f := range slices.Backward(stack) {
		if frames[f] == absent {
			return false
		}
		w.key = appendName(w.key, frames[f])
	}
	if len(w.key) == 0 {
		w.key = appendName(w.key, nameNoStack)
	}
	_, ok := w.lines[string(w.key)]
	return ok || len(w.lines) < w.max
}

func appendName(key []byte, name int32) []byte {
	return binary.LittleEndian.AppendUint32(key, uint32(name))
}

// LeftOut counts the samples whose stack is [other].
func (w *collapsedWriter) LeftOut() pprofx.LeftOut { return w.left }

// Close writes the lines.
func (w *collapsedWriter) Close() error {
	out := bufio.NewWriter(w.to)
	for _, key := range slices.SortedFunc(maps.Keys(w.lines), w.compare) {
		for at := 0; at < len(key); at += 4 {
			out.WriteString(w.name(key, at))
		}
		fmt.Fprintf(out, " %d\n", (w.lines[key]+w.period/2)/w.period)
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
	name := w.names[binary.LittleEndian.Uint32([]byte(key[at:at+4]))]
	if at+4 < len(key) {
		name += ";"
	}
	return name
}

func collapsedFrame(f *pprofx.Frame) string {
	name := collapsedName(frameText(f))
	if f.Kind == pprofx.Kernel {
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
