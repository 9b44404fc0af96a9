// Package uvpool finds where a program's libuv keeps what the threads of its pool work on: file system calls, resolving
// of names, and what Node.js and add-ons queue, such as cryptography and compression.
package uvpool

import (
	"debug/elf"
	"errors"
	"fmt"

	"golang.org/x/arch/x86/x86asm"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/symbols"
)

// Kind is a kind of work, by the function that libuv has for it.
type Kind int

// The kinds of work.
const (
	Queued Kind = iota // by uv_queue_work
	FileSystem
	AddressInfo
	NameInfo
	NumKinds
)

// Functions of libuv and of Node. (libuv: src/threadpool.c, src/unix/fs.c, getaddrinfo.c, getnameinfo.c; node:
// src/threadpoolwork-inl.h, the lambda of ScheduleWork, as GCC and clang name it)
var (
	functions = [NumKinds]string{"uv__queue_work", "uv__fs_work", "uv__getaddrinfo_work", "uv__getnameinfo_work"}
	nodeWork  = []string{
		"_ZZN4node14ThreadPoolWork12ScheduleWorkEvENUlP9uv_work_sE_4_FUNES2_",
		"_ZZN4node14ThreadPoolWork12ScheduleWorkEvENUlP9uv_work_sE_8__invokeES2_",
	}
)

const worker = "worker"

// Requests are how far before its struct uv__work a request of each kind begins, in bytes. (libuv: include/uv.h,
// include/uv/unix.h)
var Requests = [NumKinds]int32{88, 336, 72, 72}

// Offsets in libuv's and Node's structs, in bytes. (libuv: include/uv.h, UV_REQ_FIELDS, UV_WORK_PRIVATE_FIELDS;
// include/uv/threadpool.h; node: src/node_internals.h)
const (
	FunctionOffset = 0  // of the function of a work, in struct uv__work
	DataOffset     = 0  // of uv_req_t.data
	WorkCBOffset   = 72 // of uv_work_t.work_cb
	WorkReqOffset  = 16 // of ThreadPoolWork.work_req_, a uv_work_t: behind the vtable and the Environment
)

// Pool is where the pool's code is, in ELF virtual addresses, and where it has its work.
type Pool struct {
	Return    uint64 // address behind the call of a work's function, in worker()
	Register  uint8  // DWARF number of the register that tells the struct uv__work during the call
	Offset    int32  // of the struct, from what is in the register, in bytes
	Functions [NumKinds]uint64
	NodeWork  uint64 // function of the uv_work_t in a ThreadPoolWork of Node's
}

// BPF is the pool in the form of the BPF program. bias is the address of the file less its ELF virtual address.
func (p *Pool) BPF(bias uint64) bpf.Pool {
	out := bpf.Pool{
		Call: p.Return + bias, NodeWork: p.NodeWork + bias, Reg: uint32(p.Register), Offset: p.Offset,
		Function: FunctionOffset, Data: DataOffset, WorkCb: WorkCBOffset, WorkReq: WorkReqOffset,
	}
	for kind, at := range p.Functions {
		out.Functions[kind] = at + bias
		out.Requests[kind] = Requests[kind]
	}
	return out
}

// maxWorker bounds the code of worker() that is looked at. It has some 450 bytes.
const maxWorker = 2048

var errNoCall = errors.New("libuv's worker() does not call the function of its work as it is known to")

// Find finds libuv's pool in a file; nil where there is none, or no symbol tells where it is.
func Find(f *elf.File, names *symbols.Table) (*Pool, error) {
	at := names.Addresses(append(append(functions[:], nodeWork...), worker)...)
	start := at[worker]
	if start == 0 || at[functions[Queued]] == 0 {
		return nil, nil
	}
	p := new(Pool)
	for kind, name := range functions {
		p.Functions[kind] = at[name]
	}
	for _, name := range nodeWork {
		p.NodeWork = max(p.NodeWork, at[name])
	}
	code, err := bytesAt(f, start, maxWorker)
	if err != nil {
		return nil, fmt.Errorf("libuv's worker(): %w", err)
	}
	if err := p.findCall(code, start); err != nil {
		return nil, err
	}
	return p, nil
}

// findCall finds `call *disp(%reg)`: the function is the first member of struct uv__work.
func (p *Pool) findCall(code []byte, at uint64) error {
	for len(code) > 0 {
		i, err := x86asm.Decode(code, 64)
		if err != nil || i.Op == x86asm.RET {
			break
		}
		at, code = at+uint64(i.Len), code[i.Len:]
		m, ok := i.Args[0].(x86asm.Mem)
		if i.Op != x86asm.CALL || !ok || m.Index != 0 || m.Segment != 0 {
			continue
		}
		register, ok := registers[m.Base]
		if !ok || m.Disp < -1024 || m.Disp > 1024 {
			return errNoCall
		}
		p.Return, p.Register, p.Offset = at, register, int32(m.Disp)
		return nil
	}
	return errNoCall
}

// registers are the callee-saved ones that unwind.Table tells of, by DWARF number.
var registers = map[x86asm.Reg]uint8{x86asm.RBX: 3, x86asm.R12: 12}

// bytesAt reads up to n bytes of code at an ELF virtual address.
func bytesAt(f *elf.File, addr uint64, n int) ([]byte, error) {
	for _, p := range f.Progs {
		if p.Type != elf.PT_LOAD || p.Flags&elf.PF_X == 0 || addr < p.Vaddr || addr-p.Vaddr >= p.Filesz {
			continue
		}
		code := make([]byte, min(uint64(n), p.Filesz-(addr-p.Vaddr)))
		_, err := p.ReadAt(code, int64(addr-p.Vaddr))
		return code, err
	}
	return nil, fmt.Errorf("no code at %#x", addr)
}
