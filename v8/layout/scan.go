package layout

import (
	"bytes"
	"io"
)

// scanChunk is how much of a file is in memory at a time while something is looked for.
const scanChunk = 1 << 20

// maxHits bounds the places one scan reports. Node has about 600 v8dbg names in a string table.
const maxHits = 1 << 16

// scan calls visit for each place in a piece of a file where a needle stands, needle by needle within a chunk, until
// visit returns false, the file ends or maxHits were reported. Needles are short.
func scan(r io.ReaderAt, p piece, needles [][]byte, visit func(needle int, at int64) bool) {
	overlap, hits := 0, 0
	for _, n := range needles {
		overlap = max(overlap, len(n)-1)
	}
	buf := make([]byte, min(int64(scanChunk+overlap), max(p.size, 0)))
	for at := p.off; at < p.off+p.size; at += scanChunk {
		n, err := r.ReadAt(buf[:min(int64(len(buf)), p.off+p.size-at)], at)
		for k, needle := range needles {
			ok := visitHits(buf[:n], needle, func(i int) bool {
				hits++
				return hits <= maxHits && visit(k, at+int64(i))
			})
			if !ok {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// visitHits calls visit for each place of needle that begins within the first scanChunk bytes; what begins later is the
// next chunk's. It returns false when visit did.
func visitHits(b, needle []byte, visit func(i int) bool) bool {
	for at := 0; ; at++ {
		i := bytes.Index(b[at:], needle)
		if i < 0 || at+i >= scanChunk {
			return true
		}
		at += i
		if !visit(at) {
			return false
		}
	}
}

// records calls visit for each whole record of a table in the file, until visit returns false or the file ends.
func (im *image) records(p piece, size int, visit func([]byte) bool) {
	const perRead = 4096
	buf := make([]byte, min(p.size, int64(perRead*size)))
	for at := int64(0); at < p.size && im.look(int64(len(buf))); at += int64(len(buf)) {
		n, err := im.r.ReadAt(buf[:min(int64(len(buf)), p.size-at)], p.off+at)
		for b := buf[:n]; len(b) >= size; b = b[size:] {
			if !visit(b[:size]) {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
