package heap

import "time"

// Effort bounds what something reads of a process while samples of other processes wait, in Reader.Work. Over the bound
// it rests, each time for longer. Time would not do: hotspan itself may have to wait for a CPU. The zero value bounds
// nothing. It is not safe for concurrent use.
type Effort struct {
	most  float64
	each  float64
	taken float64 // by now, less what time has made up for
	at    time.Time
	rest  time.Duration
	until time.Time // the end of the last rest
}

const firstRest, longRest = time.Second, time.Minute

// NewEffort allows so much work at once, and so much for each second.
func NewEffort(most, each int) Effort { return Effort{most: float64(most), each: float64(each)} }

// Rests reports whether there is a rest now.
func (e *Effort) Rests() bool { return time.Now().Before(e.until) }

// Had reports whether there was a rest.
func (e *Effort) Had() bool { return e.rest > 0 }

// Add adds work that was done.
func (e *Effort) Add(work int) {
	now := time.Now()
	e.taken = max(0, e.taken-e.each*now.Sub(e.at).Seconds()) + float64(work)
	if e.at = now; e.most == 0 || e.taken <= e.most || now.Before(e.until) {
		return
	}
	longer := 2 * e.rest
	if now.Sub(e.until) > max(e.rest, firstRest) {
		longer = firstRest
	}
	e.rest = min(longer, longRest)
	e.until = now.Add(e.rest)
}
