package priority

import (
	"runtime"
	"sync"
)

var processors struct {
	sync.Mutex
	all        int // that the Go runtime may use beside background work; 0: OneByOne was not called
	background int // calls of Background that have not ended
}

// OneByOne has the Go runtime run one goroutine at a time, but for what is in the Background, and returns a function
// that undoes it. A process that reads a few samples at a time wakes one thread for them then. Otherwise the runtime
// wakes others each time, which look for more to do and find nothing: that took more CPU time than the samples.
// (src/runtime/proc.go, "Worker thread parking/unparking") What is in the background runs beside the rest: while it has
// no CPU, the runtime could run nothing else.
func OneByOne() (undo func()) {
	processors.Lock()
	defer processors.Unlock()
	if processors.all != 0 {
		return func() {}
	}
	processors.all = runtime.GOMAXPROCS(0)
	share()
	return func() {
		processors.Lock()
		defer processors.Unlock()
		runtime.GOMAXPROCS(processors.all)
		processors.all = 0
	}
}

// besides notes that background work begins or ends.
func besides(n int) {
	processors.Lock()
	defer processors.Unlock()
	processors.background += n
	share()
}

// share sets how many goroutines run at a time. The caller holds processors.
func share() {
	switch {
	case processors.all == 0:
	case processors.background > 0:
		runtime.GOMAXPROCS(processors.all)
	default:
		runtime.GOMAXPROCS(1)
	}
}
