package sourcemaps

import (
	"encoding/binary"
	"hash/maphash"

	"github.com/hotspan/hotspan/v8/functions"
	"github.com/hotspan/hotspan/v8/heap"
)

// identity is what the positions of a script are mapped by. Its id does not tell: each isolate of a process counts its
// scripts anew.
type identity struct {
	name         string
	line, column int    // of its first character
	url, source  uint64 // hashes
}

var seed = maphash.MakeSeed()

func identityOf(s functions.MappedScript) identity {
	return identity{s.Script.Name, s.Script.LineOffset, s.Script.ColumnOffset, hash(s.URL), hash(s.Source)}
}

// hash is that of a text; 0 = there is none.
func hash(t *heap.Text) uint64 {
	if t == nil {
		return 0
	}
	var h maphash.Hash
	h.SetSeed(seed)
	_, _ = h.Write(t.One) // it never fails
	var b []byte
	for i, unit := range t.Two {
		if b = binary.LittleEndian.AppendUint16(b, unit); len(b) == 4096 || i == len(t.Two)-1 {
			_, _ = h.Write(b)
			b = b[:0]
		}
	}
	return h.Sum64()
}
