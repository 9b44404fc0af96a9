// Package registers reads the user registers of a process's threads that do not run, without stopping any: a BPF
// program lists the threads, and of each what the kernel has saved when it was entered.
package registers

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"

	"github.com/hotspan/hotspan/agent/internal/bpf/kernelbtf"
	"github.com/hotspan/hotspan/v8/target"
)

//go:generate -command bpf2go go tool bpf2go -cc clang-19 -strip llvm-strip-19 -target bpfel
//go:generate bpf2go -type thread registers registers.bpf.c -- -Wall -Werror -D__TARGET_ARCH_x86 -I/usr/include/x86_64-linux-gnu

// Thread is a thread at the time of a List.
type Thread struct {
	TID     int
	Running bool // on a CPU: Registers are old
	// Switches is how often it has stopped running. A thread of which two lists have the same Registers and Switches,
	// and that runs in neither, has not run between them.
	Switches  uint64
	Registers target.Registers
}

// Still reports whether a thread has not run from one list to another.
func (t *Thread) Still(after *Thread) bool { return !t.Running && *t == *after }

// Reader lists the threads of processes. It is safe for concurrent use.
type Reader struct {
	mu      sync.Mutex // held while a process is listed: the program has its pid in a variable
	objects registersObjects
	iter    *link.Iter
}

// Open makes a Reader. That takes some milliseconds, and CAP_BPF and CAP_PERFMON. The caller closes it.
func Open() (*Reader, error) {
	r := new(Reader)
	if load(&r.objects) != nil { // then it takes longer, and the error says more
		if err := loadRegistersObjects(&r.objects, &ebpf.CollectionOptions{}); err != nil {
			return nil, fmt.Errorf("load the BPF program: %w", err)
		}
	}
	var err error
	if r.iter, err = link.AttachIter(link.IterOptions{Program: r.objects.HotspanRegisters}); err != nil {
		return nil, errors.Join(fmt.Errorf("list threads by BPF: %w", err), r.objects.Close())
	}
	return r, nil
}

// load loads the program by what is known of the kernel's types.
func load(o *registersObjects) error {
	kernel, err := kernelbtf.Read()
	if err != nil {
		return err
	}
	spec, err := loadRegisters()
	if err != nil {
		return err
	}
	program := spec.Programs["hotspan_registers"]
	spec.Programs = nil
	c, err := ebpf.NewCollection(spec)
	if err != nil {
		return err
	}
	defer c.Close()
	if o.HotspanRegisters, err = kernel.Load(program, c.Maps); err != nil {
		return err
	}
	return c.Assign(&o.registersVariables)
}

// Close releases the BPF program.
func (r *Reader) Close() error { return errors.Join(r.iter.Close(), r.objects.Close()) }

// List returns the threads of a process now; none if it has ended. Ids are those of hotspan's PID namespace.
func (r *Reader) List(pid int) ([]Thread, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.objects.Pid.Set(uint32(pid)); err != nil {
		return nil, fmt.Errorf("list threads by BPF: %w", err)
	}
	records, err := r.iter.Open()
	if err != nil {
		return nil, fmt.Errorf("list threads by BPF: %w", err)
	}
	defer records.Close()
	b, err := io.ReadAll(records)
	if err != nil {
		return nil, fmt.Errorf("list threads by BPF: %w", err)
	}
	all := make([]registersThread, len(b)/binary.Size(registersThread{}))
	if _, err := binary.Decode(b, binary.LittleEndian, all); err != nil {
		return nil, fmt.Errorf("list threads by BPF: %w", err)
	}
	out := make([]Thread, len(all))
	for i, t := range all {
		out[i] = Thread{
			TID: int(t.Tid), Running: t.Running != 0, Switches: t.Switches,
			Registers: target.Registers{General: t.General, IP: t.Ip, FSBase: t.Fsbase},
		}
	}
	return out, nil
}
