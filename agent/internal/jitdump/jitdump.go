// Package jitdump writes and reads jitdump, the file format of perf for machine code that a process makes at run time,
// and names the code of processes that write such files.
// (Linux: tools/perf/Documentation/jitdump-specification.txt)
package jitdump

import "encoding/binary"

// magic is the first number of a file; a reader on the other byte order sees it reversed.
const (
	magic   = 0x4a695444
	version = 1
)

// The kinds of record.
const (
	kindLoad  = 0
	kindMove  = 1
	kindDebug = 2
	kindClose = 3
)

// Sizes in bytes of what has a fixed size.
const (
	headerSize = 40
	prefixSize = 16 // of each record: kind, size, time
	loadSize   = 40 // behind the prefix, before name and code
	moveSize   = 48
	debugSize  = 16 // behind the prefix, before the entries
	entrySize  = 16 // of an entry, before its name
)

// Limits of what is read and written.
const (
	MaxCode   = 8 << 20 // bytes of machine code of one record, which is V8's own limit
	maxRecord = 24 << 20
	maxLines  = 1 << 18 // of one piece of code
	maxName   = 4096    // bytes, of functions and of files
)

// The machines of Header, as in ELF files.
const (
	X86_64  = 62
	AArch64 = 183
)

// flagTicks of the header says that times are of the processor's own counter: JITDUMP_FLAGS_ARCH_TIMESTAMP.
const flagTicks = 1

// sameFile stands for the name of the entry before it. (Linux: tools/perf/util/genelf_debug.c)
const sameFile = "\xff"

// Header is what a file says of itself.
type Header struct {
	Machine uint32 // e_machine of ELF files
	PID     uint32
	Time    uint64 // when the file was begun, on the clock of all its times: CLOCK_MONOTONIC in nanoseconds
	Ticks   bool   // times are not of that clock, but of the processor's counter
}

// Code is a piece of machine code: JIT_CODE_LOAD, and JIT_CODE_DEBUG_INFO where there are lines.
type Code struct {
	Time    uint64 // when it was made; of a Writer's when it was seen first
	TID     uint32
	Address uint64 // of the first instruction
	Index   uint64 // each piece of code of a file has another
	Name    string // without control characters
	Bytes   []byte
	Whole   uint64 // how many bytes there are, where Bytes are only the beginning; else 0
	Lines   []Line // by Address
}

// Line is the place in the source of the instructions from an address on, to the next Line.
type Line struct {
	Address      uint64
	File         string // empty: not known
	Line, Column int    // 1-based; 0 = not known
}

// Move says that a piece of code is elsewhere from Time on: JIT_CODE_MOVE.
type Move struct {
	Time, Index, From, Address, Size uint64
}

var orders = [...]binary.ByteOrder{binary.LittleEndian, binary.BigEndian}
