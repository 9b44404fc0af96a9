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

// byte reads a byte.
func (r *reader) byte() byte {
	if b := r.bytes(1); len(b) == 1 {
		return b[0]
	}
	return 0
}

// number reads an unsigned little-endian number of at most 8 bytes.
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
	if len(r.b) > 0 && r.b[0] < 0x80 { // most are short
		v, r.b = uint64(r.b[0]), r.b[1:]
		return v, 7
	}
	const maxBits = 70 // ten groups of seven hold 64 bits
	for bits < maxBits {
		c := r.byte()
		v |= uint64(c&0x7f) << bits
		bits += 7
		if c&0x80 == 0 {
			return v, bits
		}
	}
	r.short = true
	return 0, 0
}
