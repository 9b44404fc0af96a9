package elffile

import (
	"runtime/debug"
	"sync"
)

// frugalFrom is the size of a file, in bytes, from which on it is parsed frugally: Node 16 has 80 MB.
const frugalFrom = 32 << 20

// frugalPercent is how much the heap may grow meanwhile, in percent of what is in use, until garbage is collected.
// Usually it is as much again, which of a large file is what a small service has.
const frugalPercent = 50

var frugal struct {
	sync.Mutex
	files  int // that are parsed so
	before int // percent
}

// parseFrugally has garbage collected sooner until done, if a file is large.
func parseFrugally(size int64) (done func()) {
	if size < frugalFrom {
		return func() {}
	}
	frugal.Lock()
	defer frugal.Unlock()
	if frugal.files++; frugal.files == 1 {
		frugal.before = debug.SetGCPercent(frugalPercent)
		if frugal.before < frugalPercent { // or it is off
			debug.SetGCPercent(frugal.before)
		}
	}
	return func() {
		frugal.Lock()
		defer frugal.Unlock()
		if frugal.files--; frugal.files == 0 {
			debug.SetGCPercent(frugal.before)
		}
	}
}
