package pprof

import (
	"bytes"
	"hash/maphash"
)

// byteList holds pieces of bytes, by number. Beside the bytes a piece takes four. All together may have 4 GiB.
type byteList struct {
	log     byteLog
	ends    []uint32 // where each piece ends
	scratch []byte

	forgotten int // chunks of the log
}

// len returns the number of pieces.
func (l *byteList) len() int { return len(l.ends) }

func (l *byteList) add(piece []byte) {
	l.log.append(piece)
	l.ends = append(l.ends, l.log.size)
}

// at returns a piece; it is valid until the next call.
func (l *byteList) at(i int) []byte {
	var from uint32
	if i > 0 {
		from = l.ends[i-1]
	}
	l.scratch = l.log.read(l.scratch[:0], from, l.ends[i])
	return l.scratch
}

// forget frees the memory of the pieces before one. They are read in order then.
func (l *byteList) forget(before int) {
	if before == 0 {
		return
	}
	for end := int(l.ends[before-1] / chunkSize); l.forgotten < end; l.forgotten++ {
		l.log.chunks[l.forgotten] = nil
	}
}

// byteTable is a list that holds each piece once. A piece takes some 20 bytes more.
type byteTable struct {
	byteList
	seed   maphash.Seed
	byHash map[uint64]int32 // a piece whose hash another has is at the next number that is free
}

func newByteTable() byteTable { return byteTable{seed: maphash.MakeSeed(), byHash: map[uint64]int32{}} }

// intern returns the number of a piece, and adds it if it is not there.
func (t *byteTable) intern(piece []byte) int32 {
	for hash := maphash.Bytes(t.seed, piece); ; hash++ {
		i, ok := t.byHash[hash]
		if !ok {
			i = int32(t.len())
			t.add(piece)
			t.byHash[hash] = i
			return i
		}
		if bytes.Equal(t.at(int(i)), piece) {
			return i
		}
	}
}

// byteLog holds bytes one after the other. They are not copied when it grows, as those of a slice are.
type byteLog struct {
	chunks [][]byte
	size   uint32
}

const chunkSize = 1 << 16

func (l *byteLog) append(b []byte) {
	l.size += uint32(len(b))
	for len(b) > 0 {
		last := len(l.chunks) - 1
		if last < 0 || len(l.chunks[last]) == chunkSize {
			l.chunks = append(l.chunks, make([]byte, 0, chunkSize))
			continue
		}
		n := min(len(b), chunkSize-len(l.chunks[last]))
		l.chunks[last] = append(l.chunks[last], b[:n]...)
		b = b[n:]
	}
}

// read appends the bytes from one place to another.
func (l *byteLog) read(to []byte, from, end uint32) []byte {
	for from < end {
		at := from % chunkSize
		n := min(end-from, chunkSize-at)
		to = append(to, l.chunks[from/chunkSize][at:at+n]...)
		from += n
	}
	return to
}
