// Package value prints JavaScript values in the memory of another process, as util.inspect of Node.js prints them
// there: primitive values, arrays and objects, those of JavaScript's own classes included, with the properties that can
// be enumerated. What it does not read it names in angle brackets, as <JSModuleNamespace>, and guesses nothing; so it
// does with what cannot be read.
//
// No code of the process runs. Accessors are [Getter], as in util.inspect, and a tag that one gives is [<getter>].
// Functions with which objects print themselves are not called, but a Buffer is shown as its own one would. A Proxy is
// shown as with the option showProxy: its target and its handler.
package value

import (
	"errors"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// Printer prints the values of one process. It is not safe for concurrent use.
type Printer struct {
	Heap  *heap.Reader
	Types map[int]string // names of instance types, see layout.TypeNames; may be nil
	// Depth is how deep objects in objects are shown; util.inspect's own default is 2. With -1 no members are shown,
	// and of an error only the first line.
	Depth int
	// Private shows the fields with which classes hide what they keep, as #name; util.inspect cannot.
	Private bool
}

// Limits of what is printed. The first four are defaults of util.inspect.
const (
	maxElements = 100
	maxText     = 10000 // UTF-16 units of a string
	breakLength = 80
	compact     = 3
	maxRead     = 1 << 20 // reads of memory for one print, and elements
	maxPrinted  = 1 << 16 // values of one print
	maxChain    = 64      // prototypes
	maxDepth    = 512
)

// printing is one print that is under way.
type printing struct {
	*Printer
	l        *layout.Layout
	value    func(w heap.Word, depth int) string // prints a value that is depth objects deep
	seen     []heap.Word                         // objects around the one at hand
	circular map[heap.Word]int                   // objects that are in themselves, by number
	indent   int
	depth    int // of the object that was begun last
	level    int // of the object at hand, how many are around it
	printed  int
	began    int                  // how often the heap had been read before
	read     int                  // elements, and what else takes time
	made     map[heap.Word]origin // by prototype
	scripts  map[heap.Word]*heap.Script

	receiver  int               // see firstReceiver; 0: not known yet
	iterators map[heap.Word]int // the first of their instance types, by prototype
}

// begin makes what one print needs.
func (p *Printer) begin() *printing {
	return &printing{Printer: p, l: p.Heap.Layout(), began: p.Heap.Reads(), circular: map[heap.Word]int{},
		made: map[heap.Word]origin{}, scripts: map[heap.Word]*heap.Script{}, iterators: map[heap.Word]int{}}
}

// deepest is the depth of the last objects whose members are shown.
func (s *printing) deepest() int { return min(s.Depth, maxDepth) }

// afford counts what takes time, and reports whether it is within maxRead, with all reads of the heap.
func (s *printing) afford(n int) bool {
	s.read += n
	return s.read+s.Heap.Reads()-s.began <= maxRead
}

// goesOn reports whether another member of an object may be printed.
func (s *printing) goesOn() bool { return s.printed < maxPrinted && s.afford(0) }

var errTooMuch = errors.New("more than is read for one print")

// unread stands for what could not be read.
func unread(err error) string { return "<not read: " + err.Error() + ">" }

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}
