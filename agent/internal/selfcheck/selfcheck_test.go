package selfcheck

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hotspan/hotspan/agent/internal/elffile"
	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/nodes/live"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/verify"
)

const idle = `setInterval(() => {}, 1e9); process.stdin.on('end', process.exit).resume(); console.error('ready')`

// counted counts the reads of a process's memory.
type counted struct {
	io.ReaderAt
	reads atomic.Int64
}

func (m *counted) ReadAt(p []byte, at int64) (int, error) {
	m.reads.Add(1)
	return m.ReaderAt.ReadAt(p, at)
}

// start runs a Node.js process whose reads are counted. files is the cache of all processes.
func start(t *testing.T, files *elffile.Cache, version string) (*process.Process, *counted) {
	n := live.Start(t, version, "-e", idle)
	p, err := process.Open(n.PID, files)
	if err != nil {
		t.Fatal(err)
	}
	m := &counted{ReaderAt: p.Memory}
	p.Memory = m
	return p, m
}

// log is a logger whose lines are kept.
type log struct {
	mu    sync.Mutex
	lines bytes.Buffer
}

func (l *log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lines.Write(b)
}

func (l *log) count(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.lines.String(), text)
}

func newChecks() (*Checks, *log) {
	l := &log{}
	return checksThat(l, func(*process.Process, verify.Parts) {}), l
}

func checksThat(l *log, off func(*process.Process, verify.Parts)) *Checks {
	return New(slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug})), off)
}

// heard is what processes hear that cannot be relied on.
type heard struct {
	mu  sync.Mutex
	off map[*process.Process]verify.Parts
}

func (h *heard) hear(p *process.Process, off verify.Parts) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.off == nil {
		h.off = map[*process.Process]verify.Parts{}
	}
	h.off[p] = off
}

// of returns what a process has heard last; ok is false if it has heard nothing.
func (h *heard) of(p *process.Process) (off verify.Parts, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	off, ok = h.off[p]
	return off, ok
}

// await waits until a condition holds.
func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(what)
		}
	}
}

// fewReads is how many reads a process may cost whose binary has been compared.
const fewReads = 20

// TestOncePerBinary: the whole layout is compared once for each binary, also where a process starts later; each other
// process costs a few reads.
func TestOncePerBinary(t *testing.T) {
	list := nodes.Thorough()
	files := elffile.NewLayoutCache()
	c, l := newChecks()
	defer c.Close()
	for n, v := range []nodes.Version{list[0], list[len(list)-1]} {
		first, whole := start(t, files, v.Version)
		second, _ := start(t, files, v.Version)
		c.Add(first, 0)
		c.Add(second, time.Millisecond)
		await(t, "no layout is compared", func() bool { return l.count("layout compared with the process") > n })
		third, reads := start(t, files, v.Version)
		c.Add(third, time.Millisecond)
		await(t, "a process that starts later is not looked at", func() bool { return reads.reads.Load() > 0 })
		time.Sleep(50 * time.Millisecond)
		if n := reads.reads.Load(); n > fewReads || whole.reads.Load() < 10*n {
			t.Errorf("%s: %d reads for a process whose binary has been compared, %d for the first", v.Version, n,
				whole.reads.Load())
		}
		c.Remove(first)
		c.Remove(second)
	}
	if n := l.count("layout compared with the process"); n != 2 {
		t.Errorf("%d comparisons of two binaries", n)
	}
	if n := l.count("level=WARN"); n > 0 {
		t.Errorf("%d warnings", n)
	}
}

// TestWrongLayoutTells: a wrong layout is told of, once for its binary, also where the process starts later.
func TestWrongLayoutTells(t *testing.T) {
	files := elffile.NewLayoutCache()
	list := nodes.Thorough()
	p, _ := start(t, files, list[len(list)-1].Version)
	wrong := *p.Layout
	wrong.Values[layout.JSFunctionShared].N += 8
	wrong.Values[layout.ScriptID].N += 8
	c, l := newChecks()
	defer c.Close()
	begin := time.Now()
	for range 3 {
		p, _ := start(t, files, list[len(list)-1].Version)
		p.Layout = &wrong
		c.Add(p, 10*time.Millisecond)
	}
	await(t, "no warning", func() bool { return l.count("level=WARN") > 0 })
	if waited := time.Since(begin); waited < confirmAfter {
		t.Errorf("the warning came after %v: it was not confirmed", waited)
	}
	time.Sleep(2 * confirmAfter)
	if l.count("does not match this process") != l.count("level=WARN") || l.count("functions:") != 1 {
		t.Errorf("not one warning for a binary:\n%s", &l.lines)
	}
}

// TestOff: each process of a binary whose layout is wrong hears what cannot be relied on, and nothing more than that;
// those of a binary whose layout is right hear that there is nothing.
func TestOff(t *testing.T) {
	files := elffile.NewLayoutCache()
	version := nodes.Thorough()[1].Version
	for field, want := range map[layout.Field]verify.Parts{
		layout.NumFields:              0,
		layout.JSFunctionShared:       verify.Names,
		layout.ScriptName:             verify.Names,
		layout.BytecodeArrayPositions: verify.Lines,
		layout.MapDescriptors:         verify.Labels,
	} {
		var h heard
		c := checksThat(&log{}, h.hear)
		first, _ := start(t, files, version)
		l := *first.Layout
		if field < layout.NumFields {
			l.Values[field].N += 8
		}
		second, _ := start(t, files, version)
		both := []*process.Process{first, second}
		for _, p := range both {
			p.Layout = &l
			c.Add(p, time.Millisecond)
		}
		await(t, fmt.Sprintf("%v: not both hear %q", field, want), func() bool {
			n := 0
			for _, p := range both {
				if off, ok := h.of(p); ok && off == want {
					n++
				}
			}
			return n == 2 && c.Off(&l) == want // the latter once it is confirmed
		})
		c.Close()
	}
}

// TestIsolateOfAnother: what a short look finds wrong in a process has its whole layout compared.
func TestIsolateOfAnother(t *testing.T) {
	files := elffile.NewLayoutCache()
	version := nodes.Thorough()[0].Version
	first, _ := start(t, files, version)
	second, _ := start(t, files, version)
	c, l := newChecks()
	defer c.Close()
	c.Add(first, 0)
	await(t, "no layout is compared", func() bool { return l.count("layout compared with the process") > 0 })
	isolate, err := second.MainIsolate()
	if err != nil {
		t.Fatal(err)
	}
	second.Memory = changed{second.Memory, int64(isolate) + second.Layout.Values[layout.IsolateContext].N}
	c.Add(second, 0)
	await(t, "no warning", func() bool { return l.count("level=WARN") > 0 })
}

// TestOddProcess: what is wrong in one process, whose memory its program can have changed, is left out there alone,
// whether it or another one of its binary is compared first.
func TestOddProcess(t *testing.T) {
	files := elffile.NewLayoutCache()
	version := nodes.Thorough()[0].Version
	for oddFirst, name := range map[bool]string{true: "odd one first", false: "odd one last"} {
		t.Run(name, func(t *testing.T) {
			odd, _ := start(t, files, version)
			other, _ := start(t, files, version)
			isolate, err := odd.MainIsolate()
			if err != nil {
				t.Fatal(err)
			}
			odd.Memory = changed{odd.Memory, int64(isolate) + odd.Layout.Values[layout.IsolateContext].N}
			var h heard
			l := &log{}
			c := checksThat(l, h.hear)
			defer c.Close()
			var after time.Duration
			if !oddFirst {
				after = 100 * time.Millisecond
			}
			c.Add(odd, after)
			c.Add(other, 100*time.Millisecond-after)
			await(t, "the odd one is not told of alone", func() bool {
				off, told := h.of(other)
				wrong, _ := h.of(odd)
				return l.count("level=WARN") > 0 && wrong != 0 && told && off == 0 && c.Off(other.Layout) == 0
			})
		})
	}
}

// changed is memory of which one byte reads differently.
type changed struct {
	io.ReaderAt
	at int64
}

func (m changed) ReadAt(p []byte, at int64) (int, error) {
	n, err := m.ReaderAt.ReadAt(p, at)
	if at <= m.at && m.at < at+int64(n) {
		p[m.at-at] ^= 0x10
	}
	return n, err
}

// TestRemoved: nothing is said of a process that was removed before its comparison was confirmed, as after execve.
func TestRemoved(t *testing.T) {
	files := elffile.NewLayoutCache()
	p, m := start(t, files, nodes.Thorough()[0].Version)
	wrong := *p.Layout
	wrong.Values[layout.JSFunctionShared].N += 8
	p.Layout = &wrong
	c, l := newChecks()
	defer c.Close()
	c.Add(p, 0)
	await(t, "the process is not compared", func() bool { return m.reads.Load() > fewReads })
	c.Remove(p)
	time.Sleep(confirmAfter + 300*time.Millisecond)
	if n := l.count("layout"); n > 0 || len(c.binaries) > 0 || len(c.waiting) > 0 {
		t.Errorf("%d messages about a process that was removed, %d binaries are kept", n, len(c.binaries))
	}
}
