package probe

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hotspan/hotspan/agent/internal/symbols"
)

// tracepoint is a place in a file that its authors have named: DTRACE_PROBE of sys/sdt.h.
// (https://sourceware.org/systemtap/wiki/UserSpaceProbeImplementation)
type tracepoint struct {
	provider, name string
	address        uint64 // of the instruction, a nop; an ELF virtual address, as the next
	semaphore      uint64 // of 16 bits that count who listens; 0: the place is always reached
}

const (
	maxNotes = 16 << 20 // bytes of the section with them
	maxSites = 256      // places of one probe: each inlined copy of a function has one
)

// tracepoints reads the notes of a file, in the order in which they are there. What is no such note is left out.
func tracepoints(f *elf.File) ([]tracepoint, error) {
	section := f.Section(".note.stapsdt")
	if section == nil {
		return nil, nil
	}
	data, err := symbols.Contents(section, maxNotes)
	if err != nil {
		return nil, err
	}
	var base uint64 // where the linker has put it; a note says where it was before
	if s := f.Section(".stapsdt.base"); s != nil {
		base = s.Addr
	}
	return decodeNotes(f.ByteOrder, data, base)
}

var errNote = errors.New("section .note.stapsdt: a note is longer than it")

func decodeNotes(order binary.ByteOrder, data []byte, base uint64) (all []tracepoint, err error) {
	const head, stapsdt = 12, 3
	for len(data) >= head {
		nameSize, size, kind := order.Uint32(data), order.Uint32(data[4:]), order.Uint32(data[8:])
		data = data[head:]
		name, ok := padded(&data, nameSize)
		text, whole := padded(&data, size)
		if !ok || !whole {
			return all, errNote
		}
		if t, ok := decodeNote(order, text, base); ok && kind == stapsdt && string(name) == "stapsdt\x00" {
			all = append(all, t)
		}
	}
	return all, nil
}

// padded cuts a part of a note, which is padded to 4 bytes, off data.
func padded(data *[]byte, size uint32) (part []byte, ok bool) {
	all := (uint64(size) + 3) &^ 3
	if uint64(len(*data)) < all {
		return nil, false
	}
	part, *data = (*data)[:size], (*data)[all:]
	return part, true
}

func decodeNote(order binary.ByteOrder, b []byte, base uint64) (t tracepoint, ok bool) {
	if len(b) < 24 {
		return t, false
	}
	t.address, t.semaphore = order.Uint64(b), order.Uint64(b[16:])
	if from := order.Uint64(b[8:]); base != 0 {
		t.address += base - from
		if t.semaphore != 0 {
			t.semaphore += base - from
		}
	}
	texts := bytes.SplitN(b[24:], []byte{0}, 3)
	if len(texts) < 3 {
		return t, false
	}
	t.provider, t.name = string(texts[0]), string(texts[1])
	return t, true
}

// findTracepoint returns all places of a tracepoint in a file. The error says why there is none that is safe to probe.
func findTracepoint(f *elf.File, s Spec) (sites []Site, err error) {
	all, err := tracepoints(f)
	if err != nil {
		return nil, err
	}
	other := near{of: s.Provider + ":" + s.Symbol}
	for _, t := range all {
		if t.provider != s.Provider || t.name != s.Symbol {
			other.add(t.provider + ":" + t.name)
			continue
		}
		site, err := t.site(f)
		if err != nil {
			return nil, fmt.Errorf("%s:%s at %#x: %w", t.provider, t.name, t.address, err)
		}
		if !slices.Contains(sites, site) {
			sites = append(sites, site)
		}
	}
	switch {
	case len(all) == 0:
		return nil, errors.New("it has no USDT probes")
	case len(sites) == 0:
		return nil, fmt.Errorf("no USDT probe has the name %s%s", other.of, other.text())
	case len(sites) > maxSites:
		return nil, fmt.Errorf("%s has %d places, more than %d", other.of, len(sites), maxSites)
	}
	return sites, nil
}

var errNoNop = errors.New("there is another instruction than the one that is left for a probe")

// site returns where the kernel is to put a breakpoint. Only a nop may be overwritten: the note is the file's word
// alone.
func (t tracepoint) site(f *elf.File) (s Site, err error) {
	code, err := symbols.Bytes(f, t.address, 5)
	if err != nil {
		return s, err
	}
	if text := string(code); !strings.HasPrefix(text, "\x90") && !strings.HasPrefix(text, "\x0f\x1f") {
		return s, errNoNop
	}
	if s.Offset, err = fileOffset(f, t.address, true); err == nil && t.semaphore != 0 {
		s.Semaphore, err = fileOffset(f, t.semaphore, false)
	}
	return s, err
}
