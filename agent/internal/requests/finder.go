package requests

import (
	"math"
	"time"

	"github.com/hotspan/hotspan/v8/await"
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/space"
	"github.com/hotspan/hotspan/v8/value"
)

// Finder finds what is waited for among the objects of one process. It is not safe for concurrent use.
type Finder struct {
	reader
	readers map[heap.Word]func(*space.Object) // by hidden class; nil: nobody waits for such objects
}

// New makes a Finder. types are those of layout.TypeNames. monotonic is CLOCK_MONOTONIC in nanoseconds, as the process
// has it; nil for one that has died.
func New(r *heap.Reader, types map[int]string, monotonic func() int64) *Finder {
	return &Finder{readers: map[heap.Word]func(*space.Object){}, reader: reader{r: r, l: r.Layout(), types: types,
		printer: &value.Printer{Heap: r, Types: types}, await: await.Reader{Heap: r, Types: types},
		frames: map[heap.Word]bool{}, clocks: map[uint64]loopClock{}, monotonic: monotonic}}
}

// TellAt has the times of all timers told as of one instant, in nanoseconds of the clock that New was given: a heap is
// read for seconds.
func (f *Finder) TellAt(instant int64) {
	f.instant = math.Floor(float64(instant) / float64(time.Millisecond))
}

// Visit adds what is waited for by an object of the heap. Of memory that keeps what was read, what belongs to a wait is
// read as it is now: what was read for an object before may be another's by then.
func (f *Finder) Visit(o *space.Object) {
	read, ok := f.readers[o.Address]
	if !ok {
		if len(f.readers) >= maxClasses {
			clear(f.readers)
		}
		read = f.readerOf(o.Class)
		f.readers[o.Address] = read
	}
	if read != nil {
		read(o)
	}
}

// readerOf is what reads the objects of a hidden class; nil for those that nobody waits for.
func (f *Finder) readerOf(c *space.Class) func(*space.Object) {
	switch {
	case c.Name == "JSPromise":
		return f.promise
	case c.Name == "NativeContext":
		return func(o *space.Object) { f.clockOf(o.Word) }
	case c.Type == f.l.At(layout.TypeAPIObject):
		return f.wrap
	case c.Type != f.l.At(layout.TypeJSObject):
		return nil
	}
	switch maker, _ := f.printer.Maker(c.Address); maker {
	case "Timeout":
		return f.timeout
	case "Immediate":
		return f.immediate
	}
	return nil
}
