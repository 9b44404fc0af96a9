package process

import (
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/agent/internal/elffile"
	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/nodes/live"
	"github.com/hotspan/hotspan/v8/layout"
)

// changed is memory of which one word reads differently.
type changed struct {
	io.ReaderAt
	at   int64
	word uint64
}

func (m changed) ReadAt(p []byte, off int64) (int, error) {
	n, err := m.ReaderAt.ReadAt(p, off)
	if m.at >= off && m.at+8 <= off+int64(len(p)) {
		binary.LittleEndian.PutUint64(p[m.at-off:], m.word)
	} else if off == m.at && len(p) == 4 {
		binary.LittleEndian.PutUint32(p, uint32(m.word))
	}
	return n, err
}

// TestIsolateKey: the oldest Node.js keeps the isolate of a thread under a key of the C library's. What it is not known
// how to follow is said.
func TestIsolateKey(t *testing.T) {
	n := live.Start(t, nodes.Versions()[0].Version, "-e",
		"process.stdin.on('end', process.exit).resume(); console.error('ready')")
	p, err := Open(n.PID, elffile.NewLayoutCache())
	if err != nil {
		t.Fatal(err)
	}
	key, mem := p.Layout.Values[layout.IsolateKey].N+int64(p.Bias), p.Memory
	thread, err := p.mainThread()
	if err != nil {
		t.Fatal(err)
	}
	offset, err := p.IsolateOffset()
	if err != nil || offset < firstKeys || offset >= keyBlocks || offset%16 != 8 {
		t.Errorf("isolates at %#x: %v", offset, err)
	}
	for _, c := range []struct {
		mem  changed
		want string
	}{
		{changed{mem, key, 40}, "under key 40: only the first 32 are read"},
		{changed{mem, int64(thread + keyBlocks), 0}, "elsewhere than glibc does"},
	} {
		p.Memory = c.mem
		if _, err := p.IsolateOffset(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	p.Memory = changed{mem, key, 0}
	if _, err := p.IsolateOffset(); !errors.Is(err, ErrNoKey) {
		t.Errorf("before V8 has started: %v", err)
	}
}
