package viewers

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/hotspan/hotspan/pprofx"
)

// speedscopeWriter writes the file format of speedscope: file-format-schema.json in its npm package. A thread is a
// profile of the type sampled, in nanoseconds since the start of the recording: Unix nanoseconds are beyond the whole
// numbers that JavaScript can tell apart. A place is a frame. Where a thread was not sampled, the stack is empty. The
// name of the file says what was lost.
type speedscopeWriter struct {
	*recording
	to io.Writer
}

func newSpeedscopeWriter(to io.Writer, max limits) *speedscopeWriter {
	return &speedscopeWriter{newRecording(max, view{}), to}
}

// LeftOut counts the samples whose stack is [other], and those over the limit.
func (w *speedscopeWriter) LeftOut() pprofx.LeftOut {
	left := pprofx.LeftOut{Samples: w.full}
	for _, t := range w.threads {
		left.Stacks += t.other
	}
	return left
}

// Close writes the file.
func (w *speedscopeWriter) Close() error {
	out := bufio.NewWriter(w.to)
	out.WriteString(`{"$schema":"https://www.speedscope.app/file-format-schema.json","exporter":"hotspan","name":`)
	out.Write(text(w.title()))
	out.WriteString(`,"activeProfileIndex":0,"shared":{"frames":[`)
	frames := list{to: out}
	for _, p := range w.places {
		frames.value(text(speedscopeFrame{p.name, p.file, p.line, p.column}))
	}
	out.WriteString(`]},"profiles":[`)
	profiles := list{to: out}
	for _, t := range w.busiest() {
		profiles.comma()
		w.writeThread(out, t)
	}
	out.WriteString("]}\n")
	return out.Flush()
}

type speedscopeFrame struct {
	Name   string `json:"name"`
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"col,omitempty"`
}

// title is such as "hotspan: 700 samples, lost: 12 ring buffer full".
func (w *speedscopeWriter) title() string {
	title := fmt.Sprintf("hotspan: %d samples", w.kept)
	if lost := w.losses(); len(lost) > 0 {
		title += ", lost: " + strings.Join(lost, ", ")
	}
	return title
}

func (w *speedscopeWriter) writeThread(out *bufio.Writer, t *thread) {
	name := fmt.Sprintf("%s %d/%d", t.name, t.pid, t.tid)
	if t.service != "" {
		name = t.service + " " + name
	}
	fmt.Fprintf(out, `{"type":"sampled","name":%s,"unit":"nanoseconds","startValue":0,"samples":[`,
		text(strings.TrimSpace(name)))
	samples, end := list{to: out}, int64(0)
	var places []int32
	for s := range w.spans(t) {
		samples.comma()
		out.WriteByte('[')
		if s.stack != absent {
			places = w.rootFirst(places, s.stack)
			stack := list{to: out}
			for _, p := range places {
				stack.number(int64(p))
			}
		}
		out.WriteByte(']')
		end = s.at + s.length
	}
	out.WriteString(`],"weights":[`)
	weights := list{to: out}
	for s := range w.spans(t) {
		weights.number(s.length)
	}
	fmt.Fprintf(out, `],"endValue":%d}`, end)
}
