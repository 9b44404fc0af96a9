package text

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/hotspan/hotspan/pprofx"
)

// perfScriptWriter writes the samples of each snapshot when it comes.
type perfScriptWriter struct {
	to   io.Writer
	left pprofx.LeftOut
}

// NewPerfScriptWriter returns a Writer of a file as WritePerfScript writes one.
func NewPerfScriptWriter(to io.Writer) pprofx.Writer { return &perfScriptWriter{to: to} }

// Add writes the samples of a snapshot.
func (w *perfScriptWriter) Add(s *pprofx.Snapshot) error {
	if err := WritePerfScript(w.to, s); err != nil {
		return err
	}
	w.left.Add(s.LeftOut())
	return nil
}

// LeftOut counts samples of which a part is not in the file.
func (w *perfScriptWriter) LeftOut() pprofx.LeftOut { return w.left }

// Close does nothing: a file has no end of its own.
func (w *perfScriptWriter) Close() error { return nil }

// WritePerfScript writes a snapshot in the text format of perf script, which stackcollapse-perf.pl and speedscope read.
// Times are Unix seconds; the number before cpu-clock is the CPU time of the sample in nanoseconds. The module of
// JIT-compiled code is /tmp/perf-PID.map, the name by which these tools recognize such code; that file is not written.
// The format has no place for labels and VM states.
func WritePerfScript(w io.Writer, s *pprofx.Snapshot) error {
	if err := s.CheckTimed(); err != nil {
		return err
	}
	lines := perfLines{}
	out := bufio.NewWriter(w)
	for i := range s.Rows {
		r := &s.Rows[i]
		fmt.Fprintf(out, "%s  %d/%d [%03d] %d.%06d: %10d cpu-clock:\n",
			perfComm(s.Threads[r.Thread], r.TID), r.PID, r.TID, r.CPU, r.Time/1e9, r.Time%1e9/1e3, s.Period)
		for _, f := range s.Stacks[r.Stack] {
			out.WriteString(lines.of(s.Frames[f], r.PID))
		}
		fmt.Fprintln(out)
	}
	return out.Flush()
}

// perfLines caches the line of each frame of each process.
type perfLines map[perfLine]string

type perfLine struct {
	frame *pprofx.Frame
	pid   int32
}

func (l perfLines) of(f *pprofx.Frame, pid int32) string {
	line, ok := l[perfLine{f, pid}]
	if !ok {
		line = fmt.Sprintf("\t%16x %s (%s)\n", f.Address, perfSymbol(f), perfModule(f, pid))
		l[perfLine{f, pid}] = line
	}
	return line
}

// perfComm returns the thread name without blanks, which readers split at, and without a leading #, which starts a
// comment. A thread without a name is :TID, as in perf's output.
func perfComm(thread string, tid int32) string {
	if thread == "" {
		return fmt.Sprintf(":%d", tid)
	}
	name := noSpaces(thread)
	if name[0] == '#' {
		return "_" + name[1:]
	}
	return name
}

// Readers cut a symbol at its first parenthesis, skip a symbol that starts with one, and split at an arrow. That suits
// the parameters of C++ functions, but JavaScript names may contain any of these.
var (
	perfNoParentheses = strings.NewReplacer("(", "[", ")", "]", "->", "→")
	perfNamespace     = strings.NewReplacer("(anonymous namespace)", "[anonymous namespace]")
)

func perfSymbol(f *pprofx.Frame) string {
	symbol := frameText(f)
	if f.Kind != pprofx.Native && f.Kind != pprofx.Kernel {
		return perfNoParentheses.Replace(symbol)
	}
	symbol = perfNamespace.Replace(symbol)
	if strings.HasPrefix(symbol, "(") {
		return perfNoParentheses.Replace(symbol)
	}
	return symbol
}

func perfModule(f *pprofx.Frame, pid int32) string {
	switch {
	case f.Kind == pprofx.Marker, f.Kind == pprofx.Native && f.Module == "":
		return "[unknown]"
	case f.Kind == pprofx.Kernel:
		return "[kernel.kallsyms]"
	case f.Module == "":
		return fmt.Sprintf("/tmp/perf-%d.map", pid)
	}
	return noSpaces(f.Module)
}
