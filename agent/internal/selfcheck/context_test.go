package selfcheck

import (
	"io"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hotspan/hotspan/agent/internal/elffile"
	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/verify"
)

// noContext is memory of a process whose isolate has no current context while none is set, as for an instant in many
// turns of an event loop.
type noContext struct {
	io.ReaderAt
	at    int64 // of the isolate's word
	none  atomic.Bool
	asked atomic.Int64 // how often it was read while it was none
}

func (m *noContext) ReadAt(p []byte, at int64) (int, error) {
	n, err := m.ReaderAt.ReadAt(p, at)
	if from := m.at - at; m.none.Load() && from >= 0 && from+8 <= int64(n) {
		clear(p[from : from+8])
		m.asked.Add(1)
	}
	return n, err
}

// TestNoContext: where a process had no context to compare with, its layout is neither right nor wrong: what was wrong
// before stays off, and the next process of the binary is compared.
func TestNoContext(t *testing.T) {
	files := elffile.NewLayoutCache()
	var l *layout.Layout
	begin := func() (*process.Process, *noContext) {
		p, _ := start(t, files, nodes.Thorough()[1].Version)
		isolate, err := p.MainIsolate()
		if err != nil {
			t.Fatal(err)
		}
		m := &noContext{ReaderAt: p.Memory, at: int64(isolate) + p.Layout.Values[layout.IsolateContext].N}
		if l == nil {
			wrong := *p.Layout
			wrong.Values[layout.MapDescriptors].N += 8
			l = &wrong
		}
		p.Memory, p.Layout = m, l
		return p, m
	}
	var h heard
	text := &log{}
	c := checksThat(text, h.hear)
	defer c.Close()
	off := func(p *process.Process) verify.Parts {
		off, _ := h.of(p)
		return off
	}

	first, m := begin()
	m.none.Store(true)
	c.Add(first, 0)
	await(t, "the process is not looked at", func() bool { return m.asked.Load() > 0 })

	second, m := begin()
	c.Add(second, 0)
	await(t, "labels are not left out", func() bool { return off(second) == verify.Labels })
	m.none.Store(true)
	await(t, "nothing was to be confirmed", func() bool { return m.asked.Load() > 0 })
	time.Sleep(confirmAfter)
	if off(second) != verify.Labels || text.count("level=WARN") > 0 {
		t.Errorf("what is not confirmed: %v is left out\n%s", off(second), &text.lines)
	}

	third, _ := begin()
	c.Add(third, 0)
	await(t, "no warning", func() bool { return text.count("level=WARN") > 0 })
}
