package budget

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// TestGiveBack: garbage is given back if it is much, and not again at once.
func TestGiveBack(t *testing.T) {
	waste := func() {
		for range 4 {
			b := make([]byte, muchWaste)
			for i := range b {
				b[i] = 1
			}
			runtime.KeepAlive(b)
		}
	}
	anonymous := func() int64 { m := OwnMemory(); return m.Anonymous }
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // nothing else collects garbage
	runtime.GC()
	giving.next = time.Time{}
	waste()
	before := anonymous()
	GiveBack()
	if given := before - anonymous(); given < muchWaste {
		t.Errorf("%d bytes given back, want %d", given, muchWaste)
	}
	if wasteful() {
		t.Error("there is still much to give back")
	}
	if next := time.Until(giving.next); next < leastGap/2 {
		t.Errorf("it may give back again in %v", next)
	}
	waste()
	before = anonymous()
	GiveBack()
	if given := before - anonymous(); given >= muchWaste {
		t.Errorf("%d bytes given back again at once", given)
	}
}
