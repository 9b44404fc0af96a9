package elffile

import "sync"

// deferred has those wait that have parsed a large file and are to keep it, until run is called or another file needs
// the turn. It is safe for concurrent use.
type deferred struct {
	mu      sync.Mutex
	running bool
	needed  int             // turns that other files need
	waiting []chan struct{} // closed when one may go on
}

// wait waits until a file may be kept.
func (d *deferred) wait() {
	d.mu.Lock()
	if d.running || d.needed > 0 {
		d.mu.Unlock()
		return
	}
	w := make(chan struct{})
	d.waiting = append(d.waiting, w)
	d.mu.Unlock()
	<-w
}

// run ends all waiting.
func (d *deferred) run() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.running = true
	d.goOn()
}

// needTurn has nobody wait until done: a file needs a turn.
func (d *deferred) needTurn() (done func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.needed++
	d.goOn()
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.needed--
	}
}

// goOn has those go on that wait. The caller holds d.mu.
func (d *deferred) goOn() {
	for _, w := range d.waiting {
		close(w)
	}
	d.waiting = nil
}
