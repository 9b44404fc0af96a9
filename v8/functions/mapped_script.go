package functions

import (
	"github.com/hotspan/hotspan/v8/heap"
)

// MaxMapURL bounds what is read of the URL of a source map, in UTF-16 units. It may hold the map itself.
const MaxMapURL = 64 << 20

// MappedScript is a script that names a source map, or one from a file that names none.
type MappedScript struct {
	Script  *heap.Script
	TooLong bool       // the URL has more than MaxMapURL units: it and the source are nil
	URL     *heap.Text // nil: it names none
	Source  *heap.Text // the text that runs; nil if it cannot be read
}
