package agent

import (
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/test/nodes"
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
	pid := startNode(t, nodes.Versions()[0].Version, "-e", busy)
	p, err := newSurvey().look(pid)
	if err != nil {
		t.Fatal(err)
	}
	key := p.l.Values[layout.IsolateKey].N + int64(p.bias)
	thread, err := mainThread(pid, p.mem, p.maps)
	if err != nil {
		t.Fatal(err)
	}
	offset, err := isolateOffset(pid, p.mem, p.l, p.bias)
	if err != nil || offset < firstKeys || offset >= keyBlocks || offset%16 != 8 {
		t.Errorf("isolates at %#x: %v", offset, err)
	}
	for _, c := range []struct {
		mem  changed
		want string
	}{
		{changed{p.mem, key, 40}, "under key 40: only the first 32 are read"},
		{changed{p.mem, int64(thread + keyBlocks), 0}, "elsewhere than glibc does"},
	} {
		if _, err := isolateOffset(pid, c.mem, p.l, p.bias); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	if _, err := isolateOffset(pid, changed{p.mem, key, 0}, p.l, p.bias); !errors.Is(err, errNoKey) {
		t.Errorf("before V8 has started: %v", err)
	}
}
