package unwind

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/hotspan/hotspan/agent/internal/symbols"
)

const (
	// maxAddress bounds virtual addresses, so that sums of an address and a length cannot overflow.
	maxAddress = 1 << 62
	// maxSection bounds .eh_frame, in bytes. Node 26's has 5.4 MB.
	maxSection = 64 << 20
	// minEntry is the least length of an entry, not counting the length itself: a common entry of an id of 4 bytes,
	// a version, an empty augmentation, two factors and a register of one byte each.
	minEntry = 9
)

// ehFrame returns the contents of .eh_frame and the virtual address it is loaded at.
func ehFrame(f *elf.File) ([]byte, uint64, error) {
	s := f.Section(".eh_frame")
	if s == nil {
		return headerless(f)
	}
	if s.Type == elf.SHT_NOBITS || s.Flags&elf.SHF_COMPRESSED != 0 || s.Addr == 0 || s.Addr >= maxAddress {
		return nil, 0, errors.New("the .eh_frame section holds no loadable data (a separate debug file?)")
	}
	data, err := symbols.Contents(s, maxSection)
	if err != nil {
		return nil, 0, err
	}
	return data, s.Addr, follow(data)
}

// headerless finds .eh_frame through its lookup table, the PT_GNU_EH_FRAME segment (Linux Standard Base,
// .eh_frame_hdr). The section ends at its terminator then.
func headerless(f *elf.File) ([]byte, uint64, error) {
	for _, p := range f.Progs {
		if p.Type != elf.PT_GNU_EH_FRAME {
			continue
		}
		addr, err := ehFramePointer(p)
		if err != nil {
			return nil, 0, err
		}
		data, err := symbols.Bytes(f, addr, maxSection)
		if err != nil {
			return nil, 0, fmt.Errorf("PT_GNU_EH_FRAME: read .eh_frame: %w", err)
		}
		data = data[:terminator(data)]
		return data, addr, follow(data)
	}
	return nil, 0, errors.New("the file has no .eh_frame section and no PT_GNU_EH_FRAME segment")
}

// ehFramePointer reads the address of .eh_frame, which every linker encodes relative to itself in 4 bytes.
func ehFramePointer(p *elf.Prog) (uint64, error) {
	const version, pcRelative4 = 1, 0x1b
	var head [8]byte
	if _, err := p.ReadAt(head[:], 0); err != nil {
		return 0, fmt.Errorf("read PT_GNU_EH_FRAME: %w", err)
	}
	if head[0] != version || head[1] != pcRelative4 {
		return 0, fmt.Errorf("PT_GNU_EH_FRAME: version %d, pointer encoding %#x; known are 1 and 0x1b", head[0],
			head[1])
	}
	addr := p.Vaddr + 4 + uint64(int64(int32(binary.LittleEndian.Uint32(head[4:]))))
	if addr == 0 || addr >= maxAddress {
		return 0, fmt.Errorf("PT_GNU_EH_FRAME: .eh_frame at %#x", addr)
	}
	return addr, nil
}

// follow checks that data is a chain of entries that the parser can follow. Terminators may be between them.
func follow(data []byte) error {
	for at := 0; at < len(data); {
		if len(data)-at < 4 {
			return fmt.Errorf(".eh_frame+%#x: %d bytes after the last entry", at, len(data)-at)
		}
		n := binary.LittleEndian.Uint32(data[at:])
		if n == 0xffffffff {
			return fmt.Errorf(".eh_frame+%#x: 64-bit DWARF is not supported", at)
		}
		if left := len(data) - at - 4; n != 0 && (n < minEntry || int64(n) > int64(left)) {
			return fmt.Errorf(".eh_frame+%#x: entry of %d bytes, %d left", at, n, left)
		}
		at += 4 + int(n)
	}
	return nil
}

// terminator returns where the first entry of length 0 ends, or the length of data if there is none.
func terminator(data []byte) int {
	for at := 0; len(data)-at >= 4; {
		n := int64(binary.LittleEndian.Uint32(data[at:]))
		at += 4
		if n == 0 {
			return at
		}
		if n > int64(len(data)-at) {
			break
		}
		at += int(n)
	}
	return len(data)
}
