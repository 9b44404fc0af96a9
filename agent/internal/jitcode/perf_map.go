package jitcode

import (
	"bufio"
	"fmt"
	"slices"

	"github.com/hotspan/hotspan/agent/internal/jitdump"
)

// writeMap writes perf's map: an address, a size and a name a line. It has no times, so of pieces of code that were at
// the same place it has the last. (Linux: tools/perf/Documentation/jit-interface.txt)
func (f *files) writeMap() error {
	last := lastPieces(f.pieces)
	return write(f.path(mapFile), func(w *bufio.Writer) error {
		for _, c := range last {
			fmt.Fprintf(w, "%x %x %s\n", c.start, c.end-c.start, jitdump.Text(c.function.Function))
		}
		return nil // w keeps the first error, for Flush
	})
}

// lastPieces are the pieces that no later one overlaps, by address.
func lastPieces(pieces []*piece) (out []*piece) {
	for _, c := range slices.Backward(pieces) {
		i, _ := slices.BinarySearchFunc(out, c.start, func(o *piece, start uint64) int {
			if o.end <= start {
				return -1
			}
			return 1
		})
		if i == len(out) || out[i].start >= c.end {
			out = slices.Insert(out, i, c)
		}
	}
	return out
}
