package threadlocal

import (
	"debug/elf"
	"encoding/binary"
	"io"
	"slices"
)

// Kind says how the address of a variable is computed from the thread pointer.
type Kind uint8

// The kinds of Place.
const (
	Static   Kind = iota + 1 // thread pointer + Offset
	DTVGlibc                 // the thread's block for Module + Offset, by glibc's table of blocks
	DTVMusl                  // the same by musl's
)

// Place is where a variable is.
type Place struct {
	Kind   Kind
	Offset int64
	Module uint32
	// Generation is that of glibc's table from which on it may have the module's block; 0 = not known: then a thread
	// that has not touched the variable since its module's number was another library's is not told apart.
	Generation uint64
}

// Loaded is a file that a process has mapped.
type Loaded struct {
	*File
	Bias uint64 // address less ELF virtual address
}

// Limits of what a relocation may say.
const (
	maxModule = 1 << 16
	maxOffset = 1 << 30 // bytes
)

// Find tells where a variable is in a process: each place once, those that are the same in all threads first. There is
// more than one where several files define it. Where the dynamic linker has not relocated the words yet there is none.
func Find(mem io.ReaderAt, musl bool, files []Loaded, name string) []Place {
	var out []Place
	add := func(p Place, ok bool) {
		if ok && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	for _, f := range files {
		for _, r := range f.refs {
			if r.name == name {
				add(r.place(mem, musl, f.Bias))
			}
		}
		if value, ok := f.Defined[name]; ok {
			add(f.own(mem, musl, value, name))
		}
	}
	slices.SortStableFunc(out, func(a, b Place) int { return int(a.Kind) - int(b.Kind) })
	return out
}

// own is the place of a variable in the file's own block, if anything but a relocation for it tells.
func (f Loaded) own(mem io.ReaderAt, musl bool, value uint64, name string) (Place, bool) {
	if value >= maxOffset {
		return Place{}, false
	}
	if f.base != 0 {
		return Place{Kind: Static, Offset: f.base + int64(value)}, true
	}
	if slices.ContainsFunc(f.refs, func(r reference) bool { return r.name == name }) {
		return Place{}, false // which tells it for whom accesses it
	}
	for _, r := range f.refs {
		if r.name != "" {
			continue
		}
		p, ok := r.place(mem, musl, f.Bias)
		if !ok {
			continue
		}
		if r.kind == elf.R_X86_64_DTPMOD64 {
			p.Offset = 0 // the words say which block; what is in the second is not used by all
		} else {
			p.Offset -= int64(r.value)
		}
		p.Offset += int64(value)
		return p, true
	}
	return Place{}, false
}

// place reads the words of a relocation. (System V ABI for x86-64, ELF Handling for Thread-Local Storage;
// glibc, sysdeps/x86_64/dl-machine.h; musl, ldso/dynlink.c)
func (r reference) place(mem io.ReaderAt, musl bool, bias uint64) (Place, bool) {
	var w [3]uint64
	switch r.kind {
	case elf.R_X86_64_TPOFF64: // the offset
		ok := words(mem, bias+r.at, w[:1])
		return static(w[0], ok)
	case elf.R_X86_64_DTPMOD64: // module, offset
		ok := words(mem, bias+r.at, w[:2])
		return dynamic(w, musl, ok)
	}
	// TLSDESC: a function and its argument. That is the offset, which is negative, or the address of {module, offset};
	// glibc has the generation behind these (sysdeps/x86_64/dl-tlsdesc.h).
	if !words(mem, bias+r.at, w[:2]) {
		return Place{}, false
	}
	if int64(w[1]) < 0 {
		return static(w[1], true)
	}
	ok := words(mem, w[1], w[:])
	if musl {
		w[2] = 0
	}
	return dynamic(w, musl, ok)
}

// words reads 64-bit words of a process.
func words(mem io.ReaderAt, at uint64, to []uint64) bool {
	var b [24]byte
	if at == 0 {
		return false
	}
	if _, err := mem.ReadAt(b[:8*len(to)], int64(at)); err != nil {
		return false
	}
	for i := range to {
		to[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return true
}

func static(offset uint64, ok bool) (Place, bool) {
	n := int64(offset)
	return Place{Kind: Static, Offset: n}, ok && n < 0 && n > -maxOffset
}

func dynamic(w [3]uint64, musl, ok bool) (Place, bool) {
	if !ok || w[0] == 0 || w[0] > maxModule || w[1] > maxOffset {
		return Place{}, false
	}
	p := Place{Kind: DTVGlibc, Offset: int64(w[1]), Module: uint32(w[0]), Generation: w[2]}
	if musl {
		p.Kind = DTVMusl
	}
	return p, true
}
