package elffile

import (
	"sync"
	"sync/atomic"
	"time"
)

const (
	// largeFile is the size of a file, in bytes, above which it is large. Node 26 has 130 MB.
	largeFile = 256 << 20
	// maxParsed bounds what is read of one file, in bytes. It is 62 MB of Node 25.
	maxParsed = 512 << 20
	// maxPassed bounds that of a file without a turn.
	maxPassed = 64 << 20
)

// longestTurn is how long a file waits for the one before it.
const longestTurn = 30 * time.Second

// turns bound the memory that parsing takes: what is read of a file, and what is made of it. One file at a time has a
// turn, and one large file.
type turns struct{ usual, large chan struct{} }

func newTurns() turns { return turns{make(chan struct{}, 1), make(chan struct{}, 1)} }

// turn is that of a file to be parsed, with its debug file. One that is slow passes it on, and so does one that has
// waited for long: then less may be read of it.
type turn struct {
	of     chan struct{}
	once   sync.Once
	passed atomic.Bool
}

// begin waits for the turn of a file of a size, for some time.
func (t turns) begin(size int64) *turn {
	of := &turn{of: t.usual}
	if size > largeFile {
		of.of = t.large
	}
	late := time.NewTimer(longestTurn)
	defer late.Stop()
	select {
	case of.of <- struct{}{}:
	case <-late.C:
		of.once.Do(func() {})
		of.passed.Store(true)
	}
	return of
}

// pass lets the next file have the turn, while this one goes on.
func (t *turn) pass() {
	t.passed.Store(true)
	t.end()
}

// end ends the turn, unless it was passed on.
func (t *turn) end() { t.once.Do(func() { <-t.of }) }

// most is how many bytes may be read of the file. It is safe for concurrent use.
func (t *turn) most() int64 {
	if t != nil && t.passed.Load() {
		return maxPassed
	}
	return maxParsed
}
