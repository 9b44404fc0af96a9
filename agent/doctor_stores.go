package agent

import (
	"time"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// How long a process is watched for a frame, and how often it is looked at. It has none between requests.
const (
	watchShort = 30 * time.Millisecond
	watchLong  = 2 * time.Second
	watchEvery = 500 * time.Microsecond
)

// frameOf is the JSMap of the frame that is current in an isolate now.
func frameOf(r *heap.Reader, l *layout.Layout, isolate uint64) (heap.Word, bool) {
	w, err := r.WordAt(isolate + uint64(l.At(layout.IsolateCPED)))
	if err != nil {
		return 0, false
	}
	t, err := r.Type(w)
	return w, err == nil && t == l.At(layout.TypeJSMap)
}

// watch calls f at each frame that it meets in the main thread, until f is content or the time is over.
func (p *looked) watch(d time.Duration, f func(frame heap.Word) bool) {
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(watchEvery) {
		if w, ok := frameOf(p.r, p.l, p.at); ok && f(w) {
			return
		}
	}
}

// watchFrame corrects what version and options tell by what is seen: a frame is proof.
func (p *looked) watchFrame(i *isolate) {
	if p.l.Require(layout.IsolateCPED, layout.TypeJSMap) != nil {
		return
	}
	p.watch(watchShort, func(frame heap.Word) bool {
		if i.checkFrame(frame) != nil {
			return false
		}
		p.Frame = ContextFrame{On: true, Seen: true, Why: "seen in the process"}
		return true
	})
}

// stores reads the stores of the first frame that has any.
func (p *looked) stores() []Store {
	var out []Store
	reader := &storeReader{r: p.r, l: p.l}
	p.watch(watchLong, func(frame heap.Word) bool {
		p.Frame = ContextFrame{On: true, Seen: true, Why: "seen in the process"}
		out = reader.stores(frame)
		return len(out) > 0
	})
	return out
}
