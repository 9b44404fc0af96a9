package loaded

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
)

// maxDynamic bounds what the dynamic linker is told, in bytes. It is 600 of Node.
const maxDynamic = 16 << 10

// dynamic is what the dynamic linker is told of a file: the first value of each tag. (System V ABI, Dynamic Section)
type dynamic map[elf.DynTag]uint64

// readDynamic reads PT_DYNAMIC. It is empty for a file that is linked statically. Of the values, the dynamic linker has
// only changed addresses.
func (f *File) readDynamic() (dynamic, error) {
	all := dynamic{}
	for _, p := range f.segments {
		if p.Type != elf.PT_DYNAMIC {
			continue
		}
		b := make([]byte, min(p.Filesz, maxDynamic)/dynamicSize*dynamicSize)
		for i := 0; i < len(b); i += 4 { // it may be written to
			if _, err := f.ReadAt(b[i:i+4], int64(p.Off)+int64(i)); err != nil {
				return nil, fmt.Errorf("PT_DYNAMIC: %w", err)
			}
		}
		for ; len(b) > 0; b = b[dynamicSize:] {
			tag := elf.DynTag(binary.LittleEndian.Uint64(b))
			if tag == elf.DT_NULL {
				break
			}
			if _, found := all[tag]; !found {
				all[tag] = binary.LittleEndian.Uint64(b[8:])
			}
		}
		break
	}
	return all, nil
}

// span is a range of a file, and the ELF virtual address of its first byte.
type span struct{ off, size, vaddr uint64 }

// span returns size bytes of the file that the value of a tag is the address of. glibc adds the bias to the value,
// musl does not (glibc: elf/get-dynamic-info.h, ADJUST_DYN_INFO). It is false if no segment has that without a right to
// write to it: the file has no such part, or it is not known.
func (f *File) span(d dynamic, tag elf.DynTag, size uint64) (span, bool) {
	value, found := d[tag]
	if !found {
		return span{}, false
	}
	for _, vaddr := range []uint64{value - f.bias, value} {
		for _, p := range f.segments {
			in := vaddr - p.Vaddr
			if p.Type == elf.PT_LOAD && p.Flags&elf.PF_W == 0 && in < p.Filesz && size <= p.Filesz-in {
				return span{p.Off + in, size, vaddr}, true
			}
		}
	}
	return span{}, false
}
