// Package uvpool finds where libuv keeps the work of the threads in its pool: file system calls, DNS lookups, and work
// that Node.js and add-ons queue, such as cryptography and compression.
package uvpool

import (
	"debug/elf"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/arch/x86/x86asm"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/symbols"
)

// Kind is a kind of work. libuv has one function for each.
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
	nodeLambda = "_ZZN4node14ThreadPoolWork12ScheduleWorkEvENKUlP9uv_work_sE_clES2_" // which __invoke calls
)

// nodeJob is in the names of the functions that ThreadPoolWork calls, one for each class of jobs.
const nodeJob = "16DoThreadPoolWorkEv"

const worker = "worker"

// Requests are the distances, in bytes, from the start of a request of each kind to its struct uv__work. (libuv:
// include/uv.h, include/uv/unix.h)
var Requests = [NumKinds]int32{88, 336, 72, 72}

// Offsets in libuv's and Node's structs, in bytes. (libuv: include/uv.h, UV_REQ_FIELDS, UV_WORK_PRIVATE_FIELDS;
// include/uv/threadpool.h; node: src/node_internals.h)
const (
	FunctionOffset = 0  // of the function of a work, in struct uv__work
	DataOffset     = 0  // of uv_req_t.data
	WorkCBOffset   = 72 // of uv_work_t.work_cb
	WorkReqOffset  = 16 // of ThreadPoolWork.work_req_, a uv_work_t: behind the vtable and the Environment
)

// Pool has the addresses of the pool's code, as ELF virtual addresses, and the place of its current work.
type Pool struct {
	Return    uint64 // address behind the call of a work's function, in worker()
	Register  uint8  // DWARF number of the register that leads to the struct uv__work during the call
	Offset    int32  // bytes from the value of the register to the struct
	Functions [NumKinds]uint64
	NodeWork  uint64 // function of the uv_work_t in a ThreadPoolWork of Node's
	// Calls are where functions that run first for a job call others: of most samples the outermost frame is there.
	// Each is the address of the last byte of the call.
	Calls []uint64
}

// BPF converts the pool to the struct of the BPF program. bias is the address of the file minus its ELF virtual
// address.
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

// maxWorker bounds the code of worker() that is searched, in bytes. It has about 450.
const maxWorker = 2048

var errNoCall = errors.New("libuv's worker() has no call of a work's function in a known form")

// Find finds libuv's pool in a file by its symbols. It is nil if the file has no pool or no symbols of it.
func Find(f *elf.File, names *symbols.Table) (*Pool, error) {
	at, jobs := names.Search(nodeJob, append(append(functions[:], nodeWork...), nodeLambda, worker)...)
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
	code, err := symbols.Bytes(f, start, maxWorker)
	if err != nil {
		return nil, fmt.Errorf("libuv's worker(): %w", err)
	}
	if err := p.findCall(code, start); err != nil {
		return nil, err
	}
	first := append(p.Functions[:], p.NodeWork, at[nodeLambda])
	p.Calls, err = findCalls(f, names, append(first, jobs...))
	return p, err
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

// registers maps the callee-saved registers that unwind.Table tracks to their DWARF numbers.
var registers = map[x86asm.Reg]uint8{x86asm.RBX: 3, x86asm.R12: 12, x86asm.R13: 13}

// IsDispatch reports whether a function, by its name without parameters, only calls that of a job.
func IsDispatch(function string) bool {
	return function == functions[Queued] || strings.Contains(function, "node::ThreadPoolWork::ScheduleWork")
}

// IsQueuedAgain reports whether the function of a job, by its name without parameters, is of an object that Node queues
// for one job after the other: a stream of zlib, for each write. (node: src/node_zlib.cc, CompressionStream, and the
// contexts that a tail call goes on to)
func IsQueuedAgain(function string) bool {
	return strings.Contains(function, "CompressionStream<") || strings.HasSuffix(function, "Context::DoThreadPoolWork")
}
