package budget

import (
	"runtime/debug"
	"sync"
	"time"
)

// muchWaste is how many bytes of garbage and of free memory are given back, if they are also more than half of what is
// in use.
const muchWaste = 16 << 20

// Garbage is collected once in leastGap, and takes a thirtieth of the time at most, however large the heap is.
const (
	leastGap  = 5 * time.Second
	gapFactor = 30
)

var giving struct {
	sync.Mutex
	next time.Time
}

// GiveBack gives memory back to the system if much is garbage or free: when a burst of work is over, Go's runtime alone
// keeps it until as much again was allocated, or for two minutes. It may take as long as a garbage collection. It is
// safe for concurrent use.
func GiveBack() {
	giving.Lock()
	defer giving.Unlock()
	begin := time.Now()
	if begin.Before(giving.next) || !wasteful() {
		return
	}
	debug.FreeOSMemory()
	giving.next = time.Now().Add(max(leastGap, gapFactor*time.Since(begin)))
}

// wasteful reports whether there is much to give back.
func wasteful() bool {
	value := readRuntime("/gc/heap/live", "/memory/classes/heap/objects", "/memory/classes/heap/free")
	live := value[0]
	return value[1]+value[2]-live > max(muchWaste, live/2)
}
