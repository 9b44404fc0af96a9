// Package core reads ELF core files of x86-64 Linux, as the kernel writes them when a process dies and gdb's gcore
// writes them of one that lives on: the memory, an io.ReaderAt whose offsets are addresses of the process, the
// registers of each thread, and which files were mapped where. (Linux, fs/binfmt_elf.c; gABI, chapter 5, note sections)
//
// A core file may come from anywhere: sizes and counts in it are bounded, and what contradicts itself is an error.
package core

import (
	"io"

	"github.com/hotspan/hotspan/v8/target"
)

// Core is a core file. Its methods may be called from several goroutines at once, after the last Attach.
type Core struct {
	PID        int    // 0: the core does not say
	Executable string // name of the program, 15 bytes at most
	Arguments  string // of its command line the first 79 bytes
	Signal     int    // that ended the process; 0: it has lived on
	Fault      uint64 // address that could not be accessed, of SIGSEGV and SIGBUS; else 0
	Threads    []Thread
	Mappings   []Mapping         // by address
	Auxiliary  map[uint64]uint64 // the kernel's auxiliary vector, by AT_ number
	// Missing is how many bytes of memory the file should have and does not: it was cut off.
	Missing uint64

	from  io.ReaderAt
	size  uint64
	files map[string]io.ReaderAt // attached
}

// Thread is a thread of the process. The one that got the signal comes first.
type Thread struct {
	TID       int
	Registers target.Registers
}

// Mapping is a range of addresses, [Start, End).
type Mapping struct {
	Start, End  uint64
	Write, Exec bool
	Reserved    bool   // could not even be read, and the core has nothing of it
	Path        string // of the mapped file; empty: none
	Offset      uint64 // in that file, in bytes

	at, held uint64 // where the core file has its memory, and how many bytes
	full     uint64 // how many it would have, had it not been cut off
	noted    bool   // there is no segment, only the note FILE
}

// FileOffset is where a core file has the memory of an address in the mapping; -1: it has not.
func (m *Mapping) FileOffset(addr uint64) int64 {
	if addr < m.Start || addr-m.Start >= m.held {
		return -1
	}
	return int64(m.at + (addr - m.Start))
}
