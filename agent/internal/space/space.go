// Package space tells what lies where in the address space of one process: code of mapped files, V8's builtins, and
// memory for code that V8 makes at run time.
package space

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"

	"github.com/hotspan/hotspan/agent/internal/binary"
	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/stack"
)

// Kind is what a Region holds.
type Kind uint8

// The kinds of region.
const (
	Native    Kind = iota // machine code of a file
	Builtins              // V8's builtins: the file's, or where V8 has mapped them again
	Generated             // memory for code that is made at run time
)

// Region is a range of addresses, [Start, End).
type Region struct {
	Start, End uint64
	Kind       Kind
	File       *binary.File // nil for Generated
	Bias       uint64       // address less the file's ELF virtual address
}

// Space is the address space of a process as it was when it was last read. It is not safe for concurrent use, but for
// Again.
type Space struct {
	pid     int
	mem     io.ReaderAt
	cache   *binary.Cache
	v8      *binary.File
	unread  error    // why a mapped file that may hold V8 could not be read
	regions []Region // by address
	maps    []procs.Mapping
}

// New reads the address space of a process. An error means that it is gone or may not be looked at; a process without
// V8 has a nil Layout, and nothing else of it is read.
func New(pid int, mem io.ReaderAt, c *binary.Cache) (*Space, error) {
	s := &Space{pid: pid, mem: mem, cache: c}
	if err := s.read(); err != nil {
		return nil, err
	}
	return s, nil
}

// Again reads the mappings once more, while the space may be in use: the result is for Update. It reads the files of
// new code, which takes its time.
func (s *Space) Again() (*Space, error) {
	next := &Space{pid: s.pid, mem: s.mem, cache: s.cache, v8: s.v8}
	if err := next.read(); err != nil {
		return nil, err
	}
	return next, nil
}

// Update makes the space what Again has read, and reports whether code was mapped or unmapped.
func (s *Space) Update(next *Space) (changed bool) {
	changed = !slices.Equal(next.regions, s.regions)
	s.v8, s.unread, s.regions, s.maps = next.v8, next.unread, next.regions, next.maps
	return changed
}

// Layout is that of the process's V8.
func (s *Space) Layout() *layout.Layout {
	if s.v8 == nil {
		return nil
	}
	return s.v8.Layout
}

// Bias is the address of V8's file less its ELF virtual address.
func (s *Space) Bias() uint64 {
	for _, r := range s.regions {
		if r.File == s.v8 && r.Kind == Native {
			return r.Bias
		}
	}
	return 0
}

// Unread is why a file that may hold V8 could not be read; nil if there is none.
func (s *Space) Unread() error { return s.unread }

// V8 is the file that V8 is in; nil for none.
func (s *Space) V8() *binary.File { return s.v8 }

func (s *Space) read() error {
	maps, err := procs.Maps(s.pid)
	if err != nil {
		return fmt.Errorf("mappings of process %d: %w", s.pid, err)
	}
	if s.v8 == nil && !s.hasV8(maps) {
		return nil
	}
	var regions []Region
	for i, m := range maps {
		if !m.Exec {
			continue
		}
		code := s.code(m)
		if i > 0 && len(code) == 1 && s.isSecondMapping(m, maps[i-1]) {
			code[0].Kind = Builtins
		}
		regions = append(regions, code...)
	}
	regions = append(regions, generated(maps, regions, s.regions)...)
	slices.SortFunc(regions, func(a, b Region) int { return int(int64(a.Start - b.Start)) })
	s.regions, s.maps = regions, maps
	return nil
}

func (s *Space) hasV8(maps []procs.Mapping) bool {
	for _, m := range maps {
		has, err := s.cache.HasV8(s.pid, m)
		if has {
			return true
		}
		if err != nil {
			s.unread = err
		}
	}
	return false
}

// code gives the regions of an executable mapping; none for anonymous memory.
func (s *Space) code(m procs.Mapping) []Region {
	if m.Path == "[vdso]" {
		return s.vdso(m)
	}
	if m.Inode == 0 || strings.HasPrefix(m.Path, "[") {
		return nil
	}
	f := s.cache.Get(s.pid, m)
	if f.Layout != nil && s.v8 == nil {
		s.v8 = f
	}
	if has, _ := s.cache.HasV8(s.pid, m); has && f.Layout == nil {
		s.unread = errors.Join(f.Problems...)
	}
	at, ok := f.Address(m.Offset)
	if !ok {
		at = m.Offset
	}
	r := Region{Start: m.Start, End: m.End, File: f, Bias: m.Start - at}
	if f.Layout == nil {
		return []Region{r}
	}
	return split(r, f.Layout.Builtins.Start+r.Bias, f.Layout.Builtins.End+r.Bias)
}

// isSecondMapping reports whether a mapping is that of V8's builtins inside its code range, though the file's symbols do
// not say where they are: no other part of an executable is mapped right behind anonymous memory.
func (s *Space) isSecondMapping(m, before procs.Mapping) bool {
	return s.v8 != nil && s.v8.Layout.Builtins == layout.Range{} && s.v8 == s.cache.Get(s.pid, m) &&
		before.End == m.Start && before.Inode == 0 && before.Path == ""
}

// split cuts a region where the builtins begin and end.
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

func (s *Space) vdso(m procs.Mapping) []Region {
	image := make([]byte, m.End-m.Start)
	if _, err := s.mem.ReadAt(image, int64(m.Start)); err != nil {
		return nil
	}
	return []Region{{Start: m.Start, End: m.End, File: s.cache.Vdso(image), Bias: m.Start}}
}

// generated finds V8's code ranges: it reserves one piece of address space, of which it makes parts executable as it
// needs them, and maps the builtins there a second time. So all anonymous memory that is next to executable anonymous
// memory, or to builtins that are inside it, counts: code that comes later is there too. What held code before still does:
// until V8 10 none of it is executable while a collection or a compiler writes to it.
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
		case m.Inode == 0 && (m.Path == "" || strings.HasPrefix(m.Path, "[anon:")):
			hasCode = hasCode || m.Exec || heldCode(m, before)
			group = append(group, Region{Start: m.Start, End: m.End, Kind: Generated})
		default:
			end()
		}
	}
	end()
	return out
}

func heldCode(m procs.Mapping, before []Region) bool {
	return slices.ContainsFunc(before, func(r Region) bool {
		return r.Kind == Generated && r.Start < m.End && m.Start < r.End
	})
}

func holdsBuiltins(m procs.Mapping, code []Region) bool {
	return m.Exec && slices.ContainsFunc(code, func(r Region) bool {
		return r.Kind == Builtins && r.Start == m.Start
	})
}

// Find is the region that holds an address.
func (s *Space) Find(addr uint64) (Region, bool) {
	i := sort.Search(len(s.regions), func(i int) bool { return s.regions[i].End > addr })
	if i == len(s.regions) || addr < s.regions[i].Start {
		return Region{}, false
	}
	return s.regions[i], true
}

// Builtin is the builtin of V8 that an address lies in. (stack.AddressSpace)
func (s *Space) Builtin(pc uint64) (name string, start, end uint64, ok bool) {
	r, ok := s.Find(pc)
	if !ok || r.Kind != Builtins {
		return "", 0, 0, false
	}
	if r.File.Symbols == nil {
		return stack.UnnamedBuiltin, r.Start, r.End, true
	}
	sym, ok := r.File.Symbols.Lookup(pc - r.Bias)
	if !ok {
		return stack.UnnamedBuiltin, r.Start, r.End, true
	}
	start = sym.Start + r.Bias
	return strings.TrimPrefix(sym.Name, "Builtins_"), start, start + sym.Size, true
}

// Generated reports whether an address is in memory for code that is made at run time. (stack.AddressSpace)
func (s *Space) Generated(pc uint64) bool {
	r, ok := s.Find(pc)
	return ok && r.Kind == Generated
}

// Address gives the address in the process of an ELF virtual address of the file that V8 is in. The file's code is one
// large region; where the builtins are mapped again the rest of the file is not. (stack.AddressSpace)
func (s *Space) Address(elf uint64) (addr uint64, ok bool) {
	var code Region
	for _, r := range s.regions {
		if s.v8 != nil && r.File == s.v8 && r.Kind == Native && r.End-r.Start > code.End-code.Start {
			code = r
		}
	}
	return elf + code.Bias, elf != 0 && code.File != nil
}

// Mappings are the regions in the form of the BPF program, which asks only where V8's code is and which unwind rules
// go with the rest. Of more than it can hold, native ones are left out and counted.
func (s *Space) Mappings(to []bpf.Mapping) (n, left int) {
	all := s.mappings()
	left = max(0, len(all)-len(to))
	room := left
	for i := len(all) - 1; i >= 0 && room > 0; i-- {
		if all[i].Kind == bpf.MappingNative {
			all = slices.Delete(all, i, i+1)
			room--
		}
	}
	return copy(to, all), left
}

func (s *Space) mappings() []bpf.Mapping {
	var out []bpf.Mapping
	for _, r := range s.regions {
		m := bpf.Mapping{Start: r.Start, End: r.End, Kind: bpf.MappingV8}
		if r.Kind == Native {
			m.Kind = bpf.MappingNative
			m.Table, m.Pages = r.File.Slot, r.File.Pages
			m.Base = r.Bias
			if r.File.Rules != nil {
				m.Base += r.File.Rules.Base
			}
		} else if n := len(out); n > 0 && out[n-1].Kind == bpf.MappingV8 && out[n-1].End == r.Start {
			out[n-1].End = r.End
			continue
		}
		out = append(out, m)
	}
	return out
}
