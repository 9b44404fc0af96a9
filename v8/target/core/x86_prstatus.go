package core

import (
	"encoding/binary"
	"fmt"

	"github.com/hotspan/hotspan/v8/target"
)

// Offsets in struct elf_prstatus of x86-64. The registers are struct user_regs_struct.
// (include/uapi/linux/elfcore.h, arch/x86/include/asm/user_64.h)
const (
	prSignal    = 12
	prTID       = 32
	prRegisters = 112
	prSize      = 336
)

// generalAt is which word of the registers holds a general register, by its DWARF number.
var generalAt = [16]int{
	target.RAX: 10, target.RDX: 12, target.RCX: 11, target.RBX: 5, target.RSI: 13, target.RDI: 14, target.RBP: 4,
	target.RSP: 19, target.R8: 9, target.R9: 8, target.R10: 7, target.R11: 6, target.R12: 3, target.R13: 2,
	target.R14: 1, target.R15: 0,
}

const (
	ipAt     = 16
	fsBaseAt = 21
)

const maxThreads = 1 << 16

// addThread adds the thread of a note PRSTATUS.
func (c *Core) addThread(b []byte) error {
	if len(c.Threads) == maxThreads {
		return fmt.Errorf("more than %d threads", maxThreads)
	}
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(b[prRegisters+8*i:]) }
	t := Thread{TID: int(int32(binary.LittleEndian.Uint32(b[prTID:])))}
	for number, at := range generalAt {
		t.Registers.General[number] = word(at)
	}
	t.Registers.IP, t.Registers.FSBase = word(ipAt), word(fsBaseAt)
	if len(c.Threads) == 0 {
		c.Signal = int(binary.LittleEndian.Uint16(b[prSignal:]))
	}
	c.Threads = append(c.Threads, t)
	return nil
}
