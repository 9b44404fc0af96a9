package dump

import (
	"encoding/binary"
	"io"

	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/agent/internal/symbolize"
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/value"
)

// maxArguments bounds those that are shown of a call.
const maxArguments = 8

// In a frame of JavaScript, from the frame pointer on. Arguments are in their order behind the receiver. From V8 9.8 on
// the number counts the receiver too. (src/execution/frame-constants.h; src/common/globals.h, kJSArgcReceiverSlots)
const (
	argumentCount = -24
	receiverAt    = 16
)

var countsReceiver = layout.Version{Major: 9, Minor: 8}

// calls reads what functions were called with.
type calls struct {
	mem     io.ReaderAt
	layout  *layout.Layout
	printer value.Printer
}

func newCalls(p *process.Process, types map[int]string) *calls {
	return &calls{p.Memory, p.Layout, value.Printer{Heap: p.Heap(), Types: types, Depth: -1}}
}

// arguments reads those of the functions of a stack, by the index of the frame. Those that were inlined have none.
func (c *calls) arguments(own []symbolize.Own, framePointers []uint64) map[int]Arguments {
	out := map[int]Arguments{}
	for _, o := range own {
		if fp := framePointers[o.Raw]; fp != 0 {
			if a, ok := c.argumentsAt(fp); ok {
				out[o.Frame] = a
			}
		}
	}
	return out
}

func (c *calls) argumentsAt(fp uint64) (a Arguments, ok bool) {
	var b [8]byte
	if _, err := c.mem.ReadAt(b[:], int64(fp)+argumentCount); err != nil {
		return a, false
	}
	n := binary.LittleEndian.Uint64(b[:])
	if c.layout.V8.Compare(countsReceiver) >= 0 {
		n--
	}
	if n > 1<<16 { // V8 has no call with more
		return a, false
	}
	shown := int(min(n, maxArguments))
	a.More = int(n) - shown
	for i := range shown + 1 {
		if _, err := c.mem.ReadAt(b[:], int64(fp)+receiverAt+8*int64(i)); err != nil {
			return a, false
		}
		v := c.argument(heap.Word(binary.LittleEndian.Uint64(b[:])))
		if i == 0 {
			a.Receiver = v
		} else {
			a.Values = append(a.Values, v)
		}
	}
	return a, true
}

// argument shows a value without what is in it. A constructor that calls super has a hole for this until then.
func (c *calls) argument(w heap.Word) Argument {
	if c.printer.IsHole(w) {
		return Argument{Text: "<unknown>"}
	}
	a := Argument{Text: c.printer.Print(w)}
	if w.IsObject() {
		a.Address = uint64(w)
	}
	return a
}
