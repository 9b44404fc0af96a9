// Package kernelbtf reads a few of the kernel's own types, by which BPF programs are relocated and attached. The kernel
// describes all of its types, more than a hundred thousand, and cilium/ebpf makes an index of their names, and decodes
// all to which a struct leads. With one btf.Cache for all programs, and no modules, version 0.22 takes 20 ms of CPU
// time for what takes 4 here, and a start 7 ms longer and up to 17 MB more memory (medians of nine starts with a warm
// cache, by turns).
package kernelbtf

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"sync"

	"github.com/cilium/ebpf/btf"
	"golang.org/x/sys/unix"
)

const path = "/sys/kernel/btf/vmlinux"

// structs are those of the kernel that the BPF programs name, in kernel.h and in registers.bpf.c.
var structs = []string{
	"thread_struct", "xol_area", "uprobes_state", "mm_struct", "return_instance", "uprobe_task", "signal_struct",
	"inode", "file", "fdtable", "files_struct", "task_struct", "upid", "pid", "seq_file", "bpf_iter_meta",
	"bpf_iter__task", "vm_unmapped_area_info",
}

// How the names of types begin by which the kernel knows what a program is attached to. (Linux:
// include/trace/bpf_probe.h; include/linux/bpf.h, BPF_ITER_FUNC_PREFIX)
const (
	tracePrefix = "btf_trace_"
	iterPrefix  = "bpf_iter_"
)

// Kernel has what programs are loaded by.
type Kernel struct {
	// Types are the kernel's structs that the BPF programs name, and what their members are made of; but what a pointer
	// points to is not known.
	Types *btf.Spec

	targets map[string]uint32 // ids of what a program can be attached to
}

// Read reads the kernel's types, once. What it returns is not to be changed.
var Read = sync.OnceValues(func() (*Kernel, error) {
	k, err := read()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return k, nil
})

func read() (*Kernel, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	raw, unmap, err := contents(file)
	if err != nil {
		return nil, err
	}
	defer unmap()
	return parse(raw)
}

func parse(raw []byte) (*Kernel, error) {
	r, err := index(raw)
	if err != nil {
		return nil, err
	}
	var found []btf.Type
	k := &Kernel{targets: map[string]uint32{}}
	for i := range r.offsets[1:] {
		id := uint32(i) + 1
		switch r.kind(id) {
		case kindStruct:
			if !slices.Contains(structs, string(r.name(id))) {
				continue
			}
			t, err := r.read(id, 0)
			if err != nil {
				return nil, err
			}
			found = append(found, t)
		case kindTypedef, kindFunction:
			name := r.name(id)
			if bytes.HasPrefix(name, []byte(tracePrefix)) || bytes.HasPrefix(name, []byte(iterPrefix)) {
				k.targets[string(name)] = id
			}
		}
	}
	b, err := btf.NewBuilder(found, nil)
	if err == nil {
		k.Types, err = b.Spec()
	}
	return k, err
}

// contents maps the file, or reads it where the kernel cannot map it: before Linux 6.16.
func contents(file *os.File) (raw []byte, unmap func(), err error) {
	st, err := file.Stat()
	if err != nil {
		return nil, nil, err
	}
	raw, err = unix.Mmap(int(file.Fd()), 0, int(st.Size()), unix.PROT_READ, unix.MAP_PRIVATE)
	if err == nil {
		return raw, func() { _ = unix.Munmap(raw) }, nil
	}
	raw = make([]byte, st.Size())
	_, err = file.ReadAt(raw, 0)
	return raw, func() {}, err
}
