package process

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

// FuzzSearchThread: whatever is in the memory of a process, the block of a thread is in it, and has its id.
func FuzzSearchThread(f *testing.F) {
	const tid = 4711
	m := fakeMemory{1 << 12, make([]byte, 2*threadBlock)}
	m.put(1<<12+64, 1<<12+64, tid)
	elsewhere := fakeMemory{1 << 12, make([]byte, 2*threadBlock)}
	elsewhere.put(1<<12+64, 1<<12, tid)
	f.Add(elsewhere.bytes, uint16(1))
	f.Add(m.bytes, uint16(1))
	f.Add([]byte{}, uint16(0))
	f.Fuzz(func(t *testing.T, b []byte, page uint16) {
		m := fakeMemory{int64(page) << 12, b}
		start := uint64(m.base)
		at, ok := searchThread(m, start, start+uint64(len(b)), tid)
		if !ok {
			return
		}
		if at < start || at+threadBlock > start+uint64(len(b)) || !isThread(b[at-start:], at, tid) {
			t.Errorf("block at %#x of %d bytes", at, len(b))
		}
	})
}

// FuzzInnerPID: whatever a status says, an id is one that stands in it, or the one that is known.
func FuzzInnerPID(f *testing.F) {
	f.Add([]byte("Name:\tnode\nNSpid:\t4711\t17\t1\nNSpgid:\t1\n"))
	f.Add([]byte("NSpid:\n"))
	f.Add([]byte("NSpid: -9 99999999999999999999"))
	f.Fuzz(func(t *testing.T, status []byte) {
		const known = 9
		got := parseInnerPID(status, known)
		is := func(word string) bool { n, err := strconv.Atoi(word); return err == nil && n == got }
		words := strings.Fields(strings.ReplaceAll(string(status), "NSpid:", " "))
		if got != known && !slices.ContainsFunc(words, is) {
			t.Errorf("%d of %q", got, status)
		}
	})
}
