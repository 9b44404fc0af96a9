// Package value prints JavaScript values in the memory of another process, as util.inspect of Node.js prints them
// there: strings, numbers, booleans, null, undefined, symbols, arrays and plain objects, with the properties that can
// be enumerated. What it does not read yet it names in angle brackets, as <JSPromise>, and guesses nothing; so it does
// with what cannot be read.
//
// Accessors are not called: they are [Getter], as in util.inspect, and a tag that one gives is [<getter>].
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
	Depth int            // how deep objects in objects are shown; util.inspect's own default is 2
}

// Limits of what is printed. The first four are defaults of util.inspect.
const (
	maxElements = 100
	maxText     = 10000 // UTF-16 units of a string
	breakLength = 80
	compact     = 3
	maxRead     = 1 << 20 // properties and elements that are read for one print
	maxPrinted  = 1 << 16 // values of one print
	maxChain    = 64      // prototypes
	maxDepth    = 512
)

// printing is one print that is under way.
type printing struct {
	*Printer
	l        *layout.Layout
	seen     []heap.Word       // objects around the one at hand
	circular map[heap.Word]int // objects that are in themselves, by number
	indent   int
	depth    int // of the object that was begun last
	printed  int
	read     int                  // properties and elements
	made     map[heap.Word]origin // by prototype
}

var errTooMuch = errors.New("more properties and elements than are read for one print")

// unread stands for what could not be read.
func unread(err error) string { return "<not read: " + err.Error() + ">" }

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}
