package functions

// UnnamedBuiltin is what an AddressSpace calls a builtin whose name the binary does not tell.
const UnnamedBuiltin = "[builtin]"

// AddressSpace tells what lies where in the memory of a process.
type AddressSpace interface {
	// Builtin finds a builtin of V8 by the address that runs: name, first address, end.
	Builtin(pc uint64) (name string, start, end uint64, ok bool)
	// Generated reports whether an address is in memory for code that is made at run time.
	Generated(pc uint64) bool
	// Address gives the address in the process of an ELF virtual address of the file that V8 is in.
	Address(elf uint64) (addr uint64, ok bool)
}
