package loaded

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
)

const (
	// maxSymbols bounds the symbols of a file, of which Node 16 has 63,000.
	maxSymbols = 1 << 20
	// maxInBucket bounds how many symbols with one hash are looked through.
	maxInBucket = 4096
)

var errNoCount = fmt.Errorf("the number of its symbols, at most %d, is not known", maxSymbols)

// countSymbols counts the symbols in .dynsym, by the hash table that the dynamic linker looks for them in.
func (f *File) countSymbols(d dynamic) (n uint64, err error) {
	if hash, ok := f.span(d, elf.DT_HASH, 8); ok { // buckets; symbols
		counts, err := f.words(hash.off, 2)
		if err != nil || counts[1] > maxSymbols {
			return 0, errNoCount
		}
		return uint64(counts[1]), nil
	}
	hash, ok := f.span(d, elf.DT_GNU_HASH, 16) // buckets; the first symbol in them; words of 8 bytes; a shift
	if !ok {
		return 0, errNoCount
	}
	head, err := f.words(hash.off, 4)
	if err != nil || head[0] > maxSymbols || head[1] > maxSymbols || head[2] > maxSymbols {
		return 0, errNoCount
	}
	buckets := hash.off + 16 + 8*uint64(head[2])
	return f.lastInBuckets(buckets, head[0], head[1])
}

// lastInBuckets counts the symbols up to the last one of the bucket that has it. In a bucket symbols follow each other,
// and the hash of its last one is odd. (binutils: gold/dynobj.cc, create_gnu_hash_table)
func (f *File) lastInBuckets(at uint64, buckets, first uint32) (uint64, error) {
	starts, err := f.words(at, buckets)
	if err != nil {
		return 0, err
	}
	last := uint32(0)
	for _, s := range starts {
		last = max(last, s)
	}
	if last < first {
		return uint64(first), nil // it exports none
	}
	hashes := at + 4*uint64(buckets)
	for i := last; i <= maxSymbols && i-last < maxInBucket; i++ {
		hash, err := f.words(hashes+4*uint64(i-first), 1)
		if err != nil {
			return 0, err
		}
		if hash[0]&1 != 0 {
			return uint64(i) + 1, nil
		}
	}
	return 0, errNoCount
}

// words reads numbers of 32 bits at an offset.
func (f *File) words(off uint64, n uint32) ([]uint32, error) {
	b := make([]byte, 4*n)
	if _, err := f.ReadAt(b, int64(off)); err != nil {
		return nil, err
	}
	out := make([]uint32, n)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return out, nil
}
