package heap

import (
	"fmt"

	"github.com/hotspan/hotspan/v8/layout"
)

// maxEntries bounds the entries that are read of one JavaScript Map, and the deleted ones among which they are.
const maxEntries = 1 << 12

// Entry is one entry of a JavaScript Map.
type Entry struct{ Key, Value Word }

// Entries reads a JSMap, in the order in which entries were made, deleted ones included.
func (r *Reader) Entries(m Word) ([]Entry, error) {
	if err := r.want(m, layout.TypeJSMap); err != nil {
		return nil, err
	}
	c, err := r.Map(m)
	if err != nil {
		return nil, err
	}
	if deleted := c.used - c.Size; c.Size > maxEntries || deleted > maxEntries {
		return nil, fmt.Errorf("map 0x%x: %d entries, %d deleted", uint64(m), c.Size, deleted)
	}
	out := make([]Entry, 0, c.used)
	err = r.Each(c, func(key, value Word) bool {
		out = append(out, Entry{key, value})
		return true
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}
