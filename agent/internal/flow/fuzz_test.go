package flow

import (
	"debug/elf"
	"testing"
)

// FuzzFollow follows any code: it ends, and its rules are in order and inside.
func FuzzFollow(f *testing.F) {
	f.Add([]byte("\x55\x48\x89\xe5\x41\x54\xe8\x03\x00\x00\x00\x5d\xc3\x90\x31\xed\xff\xd0\xf4"))
	f.Add([]byte("\x53\x48\x83\xec\x20\x85\xff\x74\x05\xe8\xf2\xff\xff\xff\x48\x83\xc4\x20\x5b\xc3"))
	f.Add([]byte("\xeb\xfe\xff\x25\x00\x00\x00\x00\x48\x8d\x05\xf0\xff\xff\xff\xff\xe0"))
	f.Add([]byte("\x90\x48\xc7\xc0\x0f\x00\x00\x00\x0f\x05\x53\x5b\xc3"))
	f.Fuzz(func(t *testing.T, code []byte) {
		const start = 0x1000
		w := newWalker(new(elf.File), code, start)
		w.restorers()
		w.function(start, true)
		if !w.run() {
			return
		}
		last := uint64(start)
		for _, r := range w.rules() {
			if r.Start < last || r.End <= r.Start || r.End > start+uint64(len(code)) {
				t.Fatalf("rule %+v after %#x", r, last)
			}
			last = r.End
		}
	})
}
