package functions

import "time"

// misses are the pcs at which no code was found. That is remembered for a moment: to look for code takes hundreds of
// reads. The moment doubles each time: V8 may only have been about to make that code, and what runs in a loop would be
// missed for long.
type misses map[uint64]miss

// miss is when no code was found, and how long that is believed.
type miss struct {
	at    time.Time
	lasts time.Duration
}

const (
	firstMiss = 8 * time.Millisecond
	longMiss  = 256 * time.Millisecond
	maxMisses = 1 << 14
)

func (m misses) has(pc uint64) bool {
	last, ok := m[pc]
	return ok && time.Since(last.at) < last.lasts
}

func (m misses) add(pc uint64) {
	lasts := min(max(2*m[pc].lasts, firstMiss), longMiss)
	if len(m) >= maxMisses {
		clear(m)
	}
	m[pc] = miss{time.Now(), lasts}
}

// maxVain is what looking in vain for code may take at once, and then each second, as heap.Effort has it: up to 100 ms.
// Where memory is not as V8 leaves it, a look takes up to a tenth of a second, and a stack may have a hundred frames.
// Where code is made and dropped all the time it takes 3 ms a second.
const maxVain = 20000
