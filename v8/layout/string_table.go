package layout

import (
	"bytes"
	"encoding/binary"
	"io"
	"strings"
)

// nameSet are names that are looked for in a string table. A linker may store a name as the end of a longer one, so
// whole names are found by their last bytes. No name is stored like that if only its beginning is known.
type nameSet struct {
	byEnd    map[uint64][]string
	prefixes []string
}

// maxSymbolName bounds a name that a prefix stands for. The longest name that is looked for has 110 bytes.
const maxSymbolName = 256

// endBytes is how many bytes at the end of a string are looked up at a time. Shorter names are not found.
const endBytes = 8

// newNameSet makes a set of names. One that ends in "*" is a prefix.
func newNameSet(wanted []string) *nameSet {
	s := &nameSet{byEnd: map[uint64][]string{}}
	for _, w := range wanted {
		if prefix, is := strings.CutSuffix(w, "*"); is {
			s.prefixes = append(s.prefixes, prefix)
		} else if len(w) >= endBytes {
			end := binary.LittleEndian.Uint64([]byte(w)[len(w)-endBytes:])
			s.byEnd[end] = append(s.byEnd[end], w)
		}
	}
	return s
}

// visit calls found for each wanted name that a string is, or ends in; at is where the name begins in the string.
func (s *nameSet) visit(text []byte, found func(name string, at int)) {
	if len(text) < endBytes {
		return
	}
	for _, name := range s.byEnd[binary.LittleEndian.Uint64(text[len(text)-endBytes:])] {
		if at := len(text) - len(name); at >= 0 && string(text[at:]) == name {
			found(name, at)
		}
	}
	for _, prefix := range s.prefixes {
		if len(text) < maxSymbolName && len(text) >= len(prefix) && string(text[:len(prefix)]) == prefix {
			found(string(text), 0)
		}
	}
}

// find looks for the names in a string table, a chunk at a time, and returns them by their offsets in the table. They
// are maxHits at most.
func (s *nameSet) find(r io.ReaderAt, table piece) map[uint32]string {
	out := map[uint32]string{}
	buf := make([]byte, min(scanChunk, max(table.size, 0)))
	kept := 0 // bytes at the beginning of buf that were read before: the string that they begin has not ended
	for next := int64(0); next < table.size && len(out) < maxHits; {
		n, err := r.ReadAt(buf[kept:min(int64(len(buf)), int64(kept)+table.size-next)], table.off+next)
		at, b := next-int64(kept), buf[:kept+n]
		for len(out) < maxHits {
			end := bytes.IndexByte(b, 0)
			if end < 0 {
				break
			}
			s.visit(b[:end], func(name string, in int) { out[uint32(at)+uint32(in)] = name })
			at, b = at+int64(end)+1, b[end+1:]
		}
		if err != nil {
			break
		}
		next += int64(n)
		kept = copy(buf, b[max(0, len(b)-maxSymbolName):])
	}
	return out
}
