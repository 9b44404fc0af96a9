package jitdump

import (
	"errors"
	"io"

	"golang.org/x/sys/unix"
)

// probe is some of the bytes of a piece of code, at equal distances: to see whether it is still there. Writers keep
// what they say in memory for a while, so the file may not yet tell that other code is there.
type probe [64]byte

// probed is how many bytes of a piece a probe is of, at most.
const probed = 4096

// probeOf takes the bytes; there is at least one.
func probeOf(code []byte) (p probe) {
	code = code[:min(len(code), probed)]
	for i := range p {
		p[i] = code[i*(len(code)-1)/(len(p)-1)]
	}
	return p
}

// there reports whether code of so many bytes is at an address of a process. It may change addresses and jumps in its
// own code, so a quarter of the bytes may differ. When it has ended, the file is believed: it is complete then.
func (p *probe) there(mem io.ReaderAt, at, size uint64) bool {
	code := make([]byte, min(size, probed))
	if _, err := mem.ReadAt(code, int64(at)); err != nil {
		return errors.Is(err, unix.ESRCH)
	}
	now, equal := probeOf(code), 0
	for i, b := range now {
		if b == p[i] {
			equal++
		}
	}
	return equal >= len(p)*3/4
}
