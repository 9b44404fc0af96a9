package functions

import (
	"encoding/binary"
	"maps"
	"math"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/target"
)

// V8 keeps when an isolate was made in time_millis_at_init_ (src/execution/isolate.h), milliseconds of CLOCK_MONOTONIC
// as a double. It stands behind the start of the Heap, at an offset that nothing tells: 0xf90 to 0x1378 in V8 9.4 to
// 14.6. It is found by its value: other doubles there are no time since the process began. If the process has a clock
// of its own (libfaketime), there is none: what is later than now is another word, which changes all the time.
const (
	timesFrom, timesSize = 0x800, 0x1800 // from the Heap
	timesPart            = 0x200
	maxMillis            = 1e12
)

// times are words of an isolate, by address, one of which is when it was made.
type times map[uint64]float64

// readTimes finds the words of an isolate that are a time since the process began, in nanoseconds of its clock, which
// clock reads; nil: up to any time.
func readTimes(r *heap.Reader, isolate uint64, began int64, clock func() int64) times {
	found, at := times{}, r.Layout().At(layout.IsolateHeap)
	if isolate == 0 || began == 0 || at < 0 {
		return found
	}
	start := isolate + uint64(at) + timesFrom
	for part := uint64(0); part < timesSize; part += timesPart {
		b, err := r.Bytes(start+part, timesPart)
		if err != nil {
			break
		}
		for n := 0; n < len(b); n += 8 {
			t := math.Float64frombits(binary.LittleEndian.Uint64(b[n:]))
			if t > float64(began)/1e6 && t < maxMillis {
				found[start+part+uint64(n)] = t
			}
		}
	}
	if clock != nil {
		now := float64(clock()) / 1e6
		maps.DeleteFunc(found, func(_ uint64, t float64) bool { return t > now })
	}
	return found
}

// hold reports whether the isolate is still the one that it was: where another one was made in its place, all its times
// are others. A time that alone is another one is not when the isolate was made, and is dropped.
func (t times) hold(r *heap.Reader) bool {
	changed := times{}
	for at, before := range t {
		w, err := r.WordAt(at)
		if err != nil {
			return true // nor is there another one
		}
		if math.Float64frombits(uint64(w)) != before {
			changed[at] = before
		}
	}
	if len(t) > 0 && len(changed) == len(t) {
		return false
	}
	maps.DeleteFunc(t, func(at uint64, _ float64) bool { _, is := changed[at]; return is })
	return true
}

// parts are where the times are, to be read with something else.
func (t times) parts() (parts []target.Part) {
	buffer := make([]byte, len(t)*8)
	for at := range t {
		parts = append(parts, target.Part{At: at, To: buffer[:8]})
		buffer = buffer[8:]
	}
	return parts
}

// are reports whether all times were read, and are what they were. If not, hold tells what that means.
func (t times) are(parts []target.Part) bool {
	for _, p := range parts {
		if math.Float64frombits(binary.LittleEndian.Uint64(p.To)) != t[p.At] {
			return false
		}
	}
	return len(t) > 0 && len(parts) == len(t)
}

// made returns when an isolate was made, in nanoseconds of CLOCK_MONOTONIC; 0 = not known.
func (t times) made() int64 {
	first := math.Inf(1)
	for _, at := range t {
		first = min(first, at)
	}
	if len(t) == 0 {
		return 0
	}
	return int64(first * 1e6)
}

// noMemory is what can be read of an isolate that is no more.
type noMemory struct{}

func (noMemory) ReadAt([]byte, int64) (int, error) { return 0, unix.EFAULT }
