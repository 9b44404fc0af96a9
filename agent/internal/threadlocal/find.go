package threadlocal

import (
	"debug/elf"
	"io"
	"slices"
)

// Loaded is a file that a process has mapped.
type Loaded struct {
	*File
	Bias uint64 // address minus ELF virtual address
}

// Find returns where a variable is in a process: each place once, static ones first. There is more than one if several
// files define it. There is none if the dynamic linker has not relocated the words yet.
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

// own returns the place of a variable in the file's own block, if something other than a relocation for it says so.
func (f Loaded) own(mem io.ReaderAt, musl bool, value uint64, name string) (Place, bool) {
	if value >= maxOffset {
		return Place{}, false
	}
	if f.base != 0 {
		return Place{Kind: Static, Offset: f.base + int64(value)}, true
	}
	if slices.ContainsFunc(f.refs, func(r reference) bool { return r.name == name }) {
		return Place{}, false // that relocation gives the place
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
			p.Offset = 0 // the words say which block; not all users read the second
		} else {
			p.Offset -= int64(r.value)
		}
		p.Offset += int64(value)
		return p, true
	}
	return Place{}, false
}
