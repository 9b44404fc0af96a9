package process

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"testing"

	"github.com/hotspan/hotspan/agent/internal/procs"
)

// fakeMemory is memory that begins at an address.
type fakeMemory struct {
	base  int64
	bytes []byte
}

func (m fakeMemory) ReadAt(p []byte, at int64) (int, error) {
	return bytes.NewReader(m.bytes).ReadAt(p, at-m.base)
}

func (m fakeMemory) put(at uint64, self uint64, tid uint32) {
	b := m.bytes[int64(at)-m.base:]
	binary.LittleEndian.PutUint64(b, self)
	binary.LittleEndian.PutUint64(b[threadSelf:], self)
	binary.LittleEndian.PutUint32(b[threadID:], tid)
}

func TestFindThread(t *testing.T) {
	const base, size, tid = 0x7f0000000000, 3*threadChunk + 4096, 4711
	for _, at := range []uint64{base, base + 0xd40, base + threadChunk - 64, base + 2*threadChunk,
		base + 4096 + threadChunk - 64, base + size - 768} {
		m := fakeMemory{base, make([]byte, size)}
		m.put(at, at, tid)
		m.put(base+0x4000, base+0x4000, 4712)  // another thread
		m.put(base+0x5000, base+0x5008, tid)   // points elsewhere
		m.put(base+0x6020, base+0x6020, tid+1) // not aligned
		if got, ok := searchThread(m, base, base+size, tid); !ok || got != at {
			t.Errorf("block at %#x: found %#x, %v", at, got, ok)
		}
		if got, ok := searchThread(m, base, base+size, 1); ok {
			t.Errorf("thread 1: found %#x", got)
		}
	}
	if _, ok := searchThread(fakeMemory{base, nil}, base, base+size, tid); ok {
		t.Error("found in memory that cannot be read")
	}
	var _ io.ReaderAt = fakeMemory{}
}

// Memory that is only reserved, as V8 and malloc do in hundreds of mebibytes, does not count as searched.
func TestThreadBelowReservations(t *testing.T) {
	const base, size = 0x7f0000000000, 8 << 20
	m := fakeMemory{base, make([]byte, size)}
	const at = base + size - 0x900
	maps := []procs.Mapping{{Start: base, End: base + size, Write: true}}
	for end := uint64(base + size); len(maps) < 10; end += 1 << 28 {
		maps = append(maps, procs.Mapping{Start: end, End: end + 1<<28})
	}
	const pid = 1 << 30 // there is none, so that the id in its own namespace is the same
	m.put(at, at, pid)
	if got, err := searchMain(pid, m, maps); err != nil || got != at {
		t.Errorf("block at %#x: found %#x: %v", at, got, err)
	}
}

func TestInnerPID(t *testing.T) {
	for status, want := range map[string]int{
		"Name:\tnode\nNSpid:\t4711\t17\t1\nNSpgid:\t1\n": 1,
		"NSpid:\t4711\n": 4711,
		"NSpid:\n":       9,
		"Name:\tx\n":     9,
	} {
		if got := parseInnerPID([]byte(status), 9); got != want {
			t.Errorf("%q: %d, want %d", status, got, want)
		}
	}
	if got := innerPID("/proc/self/status", 0); got <= 0 {
		t.Error(fmt.Sprint("own number: ", got))
	}
}
