package layout

import (
	"encoding/binary"
	"slices"
)

// place is where the code of a builtin is in the embedded blob, in bytes.
type place struct{ offset, size uint32 }

// What the embedded blob says of its code begins with some hashes. Then each builtin has a record, by number, which
// begins with offset and size of its code. Heads and records had other sizes in V8 9 than in 11, and may have others.
// (src/snapshot/embedded/embedded-data.h)
const (
	maxBlobTable         = 1 << 20 // bytes; Node 26 has 100 KB
	maxHead, headStep    = 64, 8
	minRecord, maxRecord = 8, 64
	recordStep           = 4
	codeAlignment        = 32
	maxPadding           = 2 * 64 // between builtins: they are aligned to 64 bytes at most
)

// placesOf returns where the code of n builtins is in the embedded blob, by their numbers. The size of the head and the
// records is that with which they fill all of the code, without a gap. Nil if there is none, or more than one.
func (im *image) placesOf(n int, codeSize uint32) (found []place) {
	at, size, ok := im.blobTable()
	if !ok || size <= 0 || size > maxBlobTable {
		return nil
	}
	table, err := im.bytes(at, int(size))
	if err != nil {
		return nil
	}
	for head := headStep; head <= maxHead; head += headStep {
		for record := minRecord; record <= maxRecord && head+(n+1)*record <= len(table); record += recordStep {
			places := records(table[head:], n+1, record)
			if !fill(places[:n], codeSize) || fill(places, codeSize) { // there is a further one
				continue
			}
			if found != nil {
				return nil
			}
			found = places[:n]
		}
	}
	return found
}

// records decodes n records of a size.
func records(table []byte, n, size int) []place {
	places := make([]place, n)
	for i := range places {
		places[i] = placeOf(table[i*size:])
	}
	return places
}

func placeOf(b []byte) place {
	return place{binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])}
}

// fill reports whether all of the code is in one of the places each, but for what aligns them.
func fill(places []place, size uint32) bool {
	outside := func(p place) bool {
		return p.size == 0 || p.offset%codeAlignment != 0 || p.offset > size || p.size > size-p.offset
	}
	if slices.ContainsFunc(places, outside) {
		return false
	}
	end := uint32(0)
	for _, p := range sorted(places) {
		if p.offset < end || p.offset-end > maxPadding {
			return false
		}
		end = p.offset + p.size
	}
	return size-end <= maxPadding
}

// sorted returns places by rising offset.
func sorted(places []place) []place {
	all := slices.Clone(places)
	slices.SortStableFunc(all, func(a, b place) int { return int(a.offset) - int(b.offset) })
	return all
}

// endOf returns where the last of the places ends.
func endOf(places []place) (end uint32) {
	for _, p := range places {
		end = max(end, p.offset+p.size)
	}
	return end
}
