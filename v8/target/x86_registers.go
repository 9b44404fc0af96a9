package target

// Numbers of general registers in DWARF (System V ABI for x86-64, figure 3.36).
const (
	RAX, RDX, RCX, RBX, RSI, RDI, RBP, RSP = 0, 1, 2, 3, 4, 5, 6, 7
	R8, R9, R10, R11, R12, R13, R14, R15   = 8, 9, 10, 11, 12, 13, 14, 15
)

// Registers are those of a thread that does not run.
type Registers struct {
	General [16]uint64 // by DWARF number
	IP      uint64     // the instruction that is next
	FSBase  uint64     // the thread pointer: where thread-locals are
}
