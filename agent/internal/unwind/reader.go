package unwind

import "encoding/binary"

// reader reads numbers from the front of a byte slice. After a truncated number short is set, and all further numbers
// are 0.
type reader struct {
	b     []byte
	short bool
}

func (r *reader) bytes(n uint64) []byte {
	if n > uint64(len(r.b)) {
		r.b, r.short = nil, true
		return nil
	}
	taken := r.b[:n:n]
	r.b = r.b[n:]
	return taken
}

// number reads an unsigned little-endian number of 1, 2 or 4 bytes.
func (r *reader) number(size uint64) uint64 {
	var wide [8]byte
	copy(wide[:], r.bytes(size))
	return binary.LittleEndian.Uint64(wide[:])
}

// block reads a length and as many bytes: an expression.
func (r *reader) block() []byte { return r.bytes(r.uleb()) }

func (r *reader) uleb() uint64 {
	v, _ := r.leb()
	return v
}

func (r *reader) sleb() int64 {
	v, bits := r.leb()
	if bits > 0 && bits < 64 && v>>(bits-1)&1 != 0 {
		v |= ^uint64(0) << bits
	}
	return int64(v)
}

// leb reads a LEB128 number and says how many bits it was written in.
func (r *reader) leb() (v uint64, bits uint) {
	const maxBits = 70 // ten groups of seven hold 64 bits
	for bits < maxBits {
		c := r.number(1)
		v |= (c & 0x7f) << bits
		bits += 7
		if c&0x80 == 0 {
			return v, bits
		}
	}
	r.short = true
	return 0, 0
}
