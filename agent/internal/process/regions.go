package process

import (
	"io"
	"os"
	"slices"
	"sort"
	"strings"

	"github.com/hotspan/hotspan/agent/internal/elffile"
	"github.com/hotspan/hotspan/agent/internal/procs"
)

// Kind is what a Region holds.
type Kind uint8

// The kinds of region.
const (
	Native    Kind = iota // machine code of a file
	Builtins              // V8's builtins: the file's, or where V8 has mapped them again
	Generated             // memory for code that V8 generates at run time
)

// Region is a range of addresses, [Start, End).
type Region struct {
	Start, End uint64
	Kind       Kind
	File       *elffile.File // nil for Generated
	Bias       uint64        // address minus the file's ELF virtual address
	// Since is when it was found, on the clock of samples, if code of a file was there before: in samples that were
	// taken earlier these addresses may be that code's, or other code's. 0: no other code is known to have been there.
	Since int64
}

// split splits a region where the builtins begin and end.
func split(r Region, low, high uint64) []Region {
	low, high = max(low, r.Start), min(high, r.End)
	if low >= high {
		return []Region{r}
	}
	before, builtins, after := r, r, r
	before.End, builtins.Start, builtins.End, after.Start = low, low, high, high
	builtins.Kind = Builtins
	return slices.DeleteFunc([]Region{before, builtins, after}, func(r Region) bool { return r.Start == r.End })
}

// generated finds V8's code ranges. V8 reserves one range of addresses, makes parts of it executable as needed, and
// maps the builtins there a second time. So all anonymous memory next to executable anonymous memory, or next to
// builtins inside it, counts: later code will be there too. Memory that held code before still counts: up to V8 10 none
// of it is executable while the garbage collector or a compiler writes to it.
func generated(maps []procs.Mapping, code, before []Region) []Region {
	var out, group []Region
	hasCode := false
	end := func() {
		if hasCode {
			out = append(out, group...)
		}
		group, hasCode = nil, false
	}
	for i, m := range maps {
		if i > 0 && maps[i-1].End != m.Start {
			end()
		}
		switch {
		case holdsBuiltins(m, code):
			hasCode = true
		case isAnonymous(m):
			hasCode = hasCode || m.Exec || heldCode(m, before)
			group = append(group, Region{Start: m.Start, End: m.End, Kind: Generated})
		default:
			end()
		}
	}
	end()
	return out
}

// holdsBuiltins reports whether a mapping is one of the builtins, of the regions of files by address.
func holdsBuiltins(m procs.Mapping, code []Region) bool {
	i := after(code, m.Start)
	return m.Exec && i < len(code) && code[i].Kind == Builtins && code[i].Start == m.Start
}

// isAnonymous reports whether V8 may have code in a mapping that is of no file.
func isAnonymous(m procs.Mapping) bool {
	return m.Inode == 0 && (m.Path == "" || strings.HasPrefix(m.Path, "[anon:"))
}

// heldCode reports whether there was code that V8 generates in a mapping, of the regions by address.
func heldCode(m procs.Mapping, before []Region) bool {
	for i := after(before, m.Start); i < len(before) && before[i].Start < m.End; i++ {
		if before[i].Kind == Generated {
			return true
		}
	}
	return false
}

// after returns the number of the first region, by address, that does not end before an address.
func after(regions []Region, addr uint64) int {
	return sort.Search(len(regions), func(i int) bool { return regions[i].End > addr })
}

// Limits of what may be a copy of V8's builtins: bytes that are less than those of any V8 (V8 9 has 1.2 MB), and how
// many are compared.
const (
	minBuiltins    = 1 << 20
	headOfBuiltins = 256
)

// mayHoldBuiltins reports whether anonymous memory may be a copy of V8's builtins. V8 makes one inside its code range
// if it cannot map them there a second time: they are in anonymous memory themselves, or there is no /proc.
// (src/heap/code-range.cc, CodeRange::RemapEmbeddedBuiltins)
func mayHoldBuiltins(m procs.Mapping) bool {
	return isAnonymous(m) && m.Exec && !m.Write && m.End-m.Start >= minBuiltins
}

// copiedBuiltins returns the region of a mapping that is a copy of V8's builtins, which are in regions of its file: it
// has their size in whole pages, and begins as they do.
func copiedBuiltins(mem io.ReaderAt, v8 *elffile.File, m procs.Mapping, code []Region) (r Region, ok bool) {
	i := slices.IndexFunc(code, func(r Region) bool { return v8 != nil && r.File == v8 && r.Kind == Builtins })
	if i < 0 || !mayHoldBuiltins(m) {
		return r, false
	}
	b, size := code[i], code[i].End-code[i].Start
	rest := uint64(os.Getpagesize() - 1)
	if (size+rest)&^rest != m.End-m.Start {
		return r, false
	}
	var original, here [headOfBuiltins]byte
	for _, read := range []struct {
		to []byte
		at uint64
	}{{original[:], b.Start}, {here[:], m.Start}} {
		if _, err := mem.ReadAt(read.to, int64(read.at)); err != nil {
			return r, false
		}
	}
	b.Start, b.End, b.Bias = m.Start, m.Start+size, b.Bias+m.Start-b.Start
	return b, here == original
}
