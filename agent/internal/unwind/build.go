package unwind

import (
	"cmp"
	"debug/elf"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/hotspan/hotspan/agent/internal/flow"
)

// Build reads the unwind rules of an ELF file from its .eh_frame section or, if the section headers are missing, from
// the PT_GNU_EH_FRAME segment, and adds those of followCode. It is an error if the file is not for x86-64, has neither,
// or if they are malformed.
func Build(f *elf.File) (*Table, error) {
	if err := checkMachine(f); err != nil {
		return nil, fmt.Errorf("unwind rules: %w", err)
	}
	text := executable(f)
	if len(text) == 0 {
		return nil, errors.New("unwind rules: the file has no executable segment")
	}
	data, addr, err := ehFrame(f)
	if err != nil {
		return nil, fmt.Errorf("unwind rules: %w", err)
	}
	t, err := build(f, data, addr, text)
	if err != nil {
		return nil, fmt.Errorf("unwind rules: %w", err)
	}
	return t, nil
}

// executable returns the address ranges that hold code of the file: what a segment has beyond the file's end is zero.
func executable(f *elf.File) []flow.Span {
	var spans []flow.Span
	for _, p := range f.Progs {
		size := min(p.Memsz, p.Filesz)
		code := p.Type == elf.PT_LOAD && p.Flags&elf.PF_X != 0
		if code && p.Vaddr < maxAddress && size < maxAddress && inFile(p, size) {
			spans = append(spans, flow.Span{Start: p.Vaddr, End: p.Vaddr + size})
		}
	}
	return spans
}

// inFile reports whether a file has the first size bytes of a segment.
func inFile(p *elf.Prog, size uint64) bool {
	n, _ := p.ReadAt(make([]byte, 1), int64(size)-1)
	return n == 1
}

func build(f *elf.File, data []byte, addr uint64, text []flow.Span) (*Table, error) {
	// Linkers leave entries of discarded functions behind, at address 0 or of size 0.
	p, err := functions(data, addr, func(begin, end uint64) bool { return inside(begin, end, text) })
	if err != nil {
		return nil, err
	}
	all := p.functions
	slices.SortStableFunc(all, func(a, b function) int { return cmp.Compare(a.begin, b.begin) })
	told := followCode(f, text, all)
	base, last, err := bounds(all, told)
	if err != nil {
		return nil, err
	}
	if last-base >= 1<<32-maxFunction {
		return nil, fmt.Errorf(".eh_frame spans %#x to %#x, a row can address 4 GiB", base, last)
	}
	b := newBuilder(base, len(data))
	for i, f := range all {
		told = b.codeUntil(f.begin, told)
		end := f.begin + uint64(f.size)
		if i+1 < len(all) {
			end = min(end, all[i+1].begin)
		}
		if f.begin < end { // of two entries for one address the last counts
			b.function(&p.common[f.commonNumber], data[f.start:f.end], f.begin, end)
		}
	}
	b.codeUntil(math.MaxUint64, told)
	b.gap()
	return b.table, b.finish()
}

// bounds returns where the first and the last entry or rule begin.
func bounds(all []function, told []flow.Rule) (first, last uint64, err error) {
	first = math.MaxUint64
	if n := len(all); n > 0 {
		first, last = all[0].begin, all[n-1].begin
	}
	if n := len(told); n > 0 {
		first, last = min(first, told[0].Start), max(last, told[n-1].Start)
	}
	if first > last {
		err = errors.New(".eh_frame describes no code of this file")
	}
	return first, last, err
}

// maxFunction bounds the code one entry may cover, in bytes. The largest in Node 24 has 330 KiB.
const maxFunction = 256 << 20

func inside(begin, end uint64, text []flow.Span) bool {
	return begin < end && end-begin <= maxFunction &&
		slices.ContainsFunc(text, func(s flow.Span) bool { return begin >= s.Start && end <= s.End })
}
