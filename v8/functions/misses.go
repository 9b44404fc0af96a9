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

// vain counts the reads of looking in vain for code of a process. Where memory is not as V8 leaves it, each look takes
// up to a tenth of a second, and a stack may have a hundred frames, while samples of other processes wait. So it rests
// after a while, each time for longer. Time would not do: hotspan itself may have to wait for a CPU.
type vain struct {
	since time.Time // when counting began
	reads int
	rest  time.Duration
	until time.Time // the end of the rest
}

// Looking in vain may take maxVain reads of each vainWithin, which are some 100 ms. Where code is made and dropped all
// the time it takes 3 ms.
const (
	maxVain             = 20000
	vainWithin          = time.Second
	firstRest, longRest = time.Second, time.Minute
)

func (s *vain) rests() bool { return time.Now().Before(s.until) }

// add counts the reads of a look.
func (s *vain) add(reads int) {
	now := time.Now()
	if now.Sub(s.since) > vainWithin {
		if s.reads <= maxVain {
			s.rest = 0
		}
		s.since, s.reads = now, 0
	}
	if s.reads += reads; s.reads > maxVain && !s.rests() {
		s.rest = min(max(2*s.rest, firstRest), longRest)
		s.until = now.Add(s.rest)
	}
}
