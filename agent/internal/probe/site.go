package probe

import (
	"debug/elf"
	"errors"

	"github.com/hotspan/hotspan/agent/internal/symbols"
)

// Site is an instruction, by its offset in the file.
type Site struct {
	Offset    uint64
	Semaphore uint64 // offset of what counts who listens: the instruction is reached while somebody does; 0: always
}

var errNotInFile = errors.New("it is in no part of the file that is loaded so")

// fileOffset converts an ELF virtual address, of code or of data.
func fileOffset(f *elf.File, address uint64, code bool) (uint64, error) {
	for _, s := range symbols.SegmentsOf(f) {
		if s.Exec == code && address >= s.Address && address-s.Address < s.Size {
			return address - s.Address + s.Offset, nil
		}
	}
	return 0, errNotInFile
}
