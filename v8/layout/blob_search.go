package layout

import "debug/elf"

// How the embedded blob is aligned where nothing tells where it is: its code to a page, what it says of that to a word.
const blobPage = 4096 // V8 10 and older, which export it, have it at any multiple of 32

// The first records are of code at the beginning, one after the other.
const firstRecords = 4

// Limits of the search: places that are looked at, such that are decoded, and bytes of code.
const (
	maxTried   = 1 << 16
	maxDecoded = 1 << 5
	maxText    = 1 << 30
	perGap     = 1 << 10 // for how many bytes a gap counts
)

// findPlaces looks for what an embedded blob says of the code of n builtins, among the constants: it begins with a
// builtin at the blob's beginning, and the places of all fill the code.
func (im *image) findPlaces(n int) (found []place) {
	tried, decoded := 0, 0
	for _, p := range im.readOnly() {
		at := p.off
		im.records(p, word, func(b []byte) bool {
			if first := placeOf(b); first.offset == 0 && first.size > 0 && first.size < blobPage {
				tried++
				found = im.placesFrom(at, n, &decoded)
			}
			at += word
			return found == nil && tried < maxTried && decoded < maxDecoded
		})
		if found != nil {
			break
		}
	}
	return found
}

// placesFrom returns the places of n builtins if their records begin at a file offset, and no more of them are there.
// It counts what it decodes.
func (im *image) placesFrom(at int64, n int, decoded *int) []place {
	next := im.upTo(at, firstRecords*maxRecord)
	for record := minRecord; firstRecords*record <= len(next); record += recordStep {
		first := records(next, firstRecords, record)
		if !fill(first, endOf(first)) {
			continue
		}
		*decoded++
		data := im.upTo(at, (n+1)*record)
		if len(data) < (n+1)*record {
			continue
		}
		places := records(data, n+1, record)
		if fill(places[:n], endOf(places[:n])) && !fill(places, endOf(places)) { // there is no further one
			return places[:n]
		}
	}
	return nil
}

// findCode looks for the code of builtins at these places: between them is nothing but the instruction int3.
func (im *image) findCode(places []place) (start uint64, ok bool) {
	gaps := gapsOf(places)
	if len(gaps) == 0 {
		return 0, false
	}
	size := uint64(endOf(places))
	for _, p := range im.elf.Progs {
		if p.Type != elf.PT_LOAD || p.Flags&elf.PF_X == 0 || !sane(p.Off, p.Filesz) {
			continue
		}
		first := (p.Vaddr + blobPage - 1) &^ (blobPage - 1)
		end := p.Vaddr + min(p.Filesz, maxText)
		for at := first; at < end && size <= end-at; at += blobPage {
			if im.isPadded(p.Off+at-p.Vaddr, gaps) {
				return at, true
			}
		}
	}
	return 0, false
}

// gapsOf returns what is between the places, by rising offset.
func gapsOf(places []place) (gaps []place) {
	end := uint32(0)
	for _, p := range sorted(places) {
		if p.offset > end {
			gaps = append(gaps, place{end, p.offset - end})
		}
		end = p.offset + p.size
	}
	return gaps
}

// isPadded reports whether the gaps of a blob whose code begins at a file offset are filled by int3.
func (im *image) isPadded(off uint64, gaps []place) bool {
	const int3 = 0xcc
	for _, gap := range gaps {
		if !im.look(perGap) {
			return false
		}
		b := im.upTo(int64(off)+int64(gap.offset), int(gap.size))
		if len(b) < int(gap.size) {
			return false
		}
		for _, c := range b {
			if c != int3 {
				return false
			}
		}
	}
	return true
}
