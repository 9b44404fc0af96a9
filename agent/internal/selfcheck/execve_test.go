package selfcheck

import (
	"io"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/hotspan/hotspan/agent/internal/elffile"
	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/nodes/live"
)

// reborn becomes another Node.js process by execve when it gets a signal.
const reborn = `process.on('SIGUSR2', () => process.execve(process.execPath, ['node', '-e', process.env.NEXT],
	process.env)); ` + idle

// atRead is memory of a process that calls execve before one of the reads, which waits for that.
type atRead struct {
	io.ReaderAt
	left     atomic.Int64 // reads until then
	executes func()
}

func (m *atRead) ReadAt(p []byte, at int64) (int, error) {
	if m.left.Add(-1) == 0 {
		m.executes()
	}
	return m.ReaderAt.ReadAt(p, at)
}

// TestExecuted: a comparison during which a process calls execve says nothing of the process, nor of its binary. The
// agent may hear of the execve only later.
func TestExecuted(t *testing.T) {
	t.Setenv("NEXT", idle)
	list := nodes.Thorough()
	n := live.Start(t, list[len(list)-1].Version, "-e", reborn)
	p, err := process.Open(n.PID, elffile.NewLayoutCache())
	if err != nil {
		t.Fatal(err)
	}
	m := &atRead{ReaderAt: p.Memory, executes: func() {
		if err := syscall.Kill(n.PID, syscall.SIGUSR2); err != nil {
			t.Error(err)
		}
		await(t, "the process does not call execve", p.Executed)
	}}
	p.Memory = m
	m.left.Store(fewReads) // the whole comparison takes hundreds
	var h heard
	l := &log{}
	c := checksThat(l, h.hear)
	defer c.Close()
	c.Add(p, 0)
	await(t, "the process is not compared", func() bool { return m.left.Load() < 0 })
	c.one.Lock() // until the comparison has ended
	defer c.one.Unlock()
	if off, ok := h.of(p); ok || l.count("layout") > 0 {
		t.Errorf("heard that %q cannot be relied on, %s", off, &l.lines)
	}
}
