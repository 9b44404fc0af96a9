package page

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hotspan/hotspan/pprofx"
)

// Limits of the source lines on a page.
const (
	maxSourceFiles  = 2000
	maxSourceBytes  = 4 << 20 // of all lines
	maxSourceLine   = 400     // bytes of a line
	sourceContext   = 4       // lines before and behind one with samples
	overSourceLimit = "over the page's limit"
)

// Embed has the page of a Writer show the source lines around those with samples. What it returns is set by Close. A
// Writer of another format stays as it is.
func Embed(to pprofx.Writer, read SourceReader) *Embedded {
	out := &Embedded{Refused: map[string]int{}}
	if w, ok := to.(*writer); ok {
		w.source, w.embedded = read, out
	}
	return out
}

// sources are the lines on the page.
type sources struct {
	Files   []sourceFile
	Refused map[string]int // files that were not read, by reason
}

type sourceFile struct {
	File  int32 // text
	Lines []sourceLine
}

type sourceLine struct {
	N    int
	Text string
}

// sampledFile is a file, and the lines of it that have samples of their own.
type sampledFile struct {
	file    int32
	samples int
	lines   map[int]bool
}

// sources reads the files that have samples, those with most first.
func (w *writer) sources() *sources {
	if w.source == nil {
		return nil
	}
	out := &sources{Files: []sourceFile{}, Refused: w.embedded.Refused}
	room := maxSourceBytes
	for i, f := range w.sampledFiles() {
		if i >= maxSourceFiles || room < 0 {
			out.Refused[overSourceLimit]++
			continue
		}
		text, err := w.source(w.texts.list[f.file], w.span().start)
		var lines []sourceLine
		if err == nil {
			lines = linesAround(text, f.lines)
		}
		for _, line := range lines {
			room -= len(line.Text)
		}
		switch {
		case errors.Is(err, ErrNoFile):
		case err != nil:
			out.Refused[err.Error()]++
		case room < 0:
			out.Refused[overSourceLimit]++
		default:
			out.Files = append(out.Files, sourceFile{f.file, lines})
		}
	}
	w.embedded.Files = len(out.Files)
	return out
}

func (w *writer) sampledFiles() []*sampledFile {
	s := w.stacks
	samples := make([]int, len(s.list))
	for i := range w.rows {
		samples[w.rows[i].stack]++
	}
	byFile := map[int32]*sampledFile{}
	var list []*sampledFile
	for i, leaf := range s.list {
		frame := s.frames[s.own(leaf)]
		if samples[i] == 0 || frame.line == 0 {
			continue
		}
		file := s.functions[frame.function].file
		f := byFile[file]
		if f == nil {
			f = &sampledFile{file: file, lines: map[int]bool{}}
			byFile[file] = f
			list = append(list, f)
		}
		f.samples += samples[i]
		f.lines[frame.line] = true
	}
	slices.SortStableFunc(list, func(a, b *sampledFile) int { return b.samples - a.samples })
	return list
}

// own returns the frame to which the samples of a leaf belong, as package report has it.
func (s *stacks) own(leaf int32) int32 {
	for at := leaf; at != 0; at = s.nodes[at].parent {
		if frame := s.nodes[at].frame; pprofx.Kind(s.frames[frame].code&7) == pprofx.JS {
			return frame
		}
	}
	return s.nodes[leaf].frame
}

// linesAround returns the lines of a text that are near some, which are counted from 1.
func linesAround(text string, near map[int]bool) (list []sourceLine) {
	wanted := map[int]bool{}
	for line := range near {
		for i := line - sourceContext; i <= line+sourceContext; i++ {
			wanted[i] = true
		}
	}
	n := 0
	for line := range strings.SplitSeq(text, "\n") {
		if n++; wanted[n] {
			list = append(list, sourceLine{n, cutLine(strings.TrimSuffix(line, "\r"))})
		}
	}
	return list
}

func cutLine(line string) string {
	if len(line) <= maxSourceLine {
		return line
	}
	end := maxSourceLine
	for end > 0 && !utf8.RuneStart(line[end]) {
		end--
	}
	return line[:end] + "…"
}
