// Package kernelnames has the kernel name its functions, by a BPF program. That takes no right to see /proc/kallsyms,
// nor the time to read it.
package kernelnames

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/cilium/ebpf"
)

//go:generate -command bpf2go go tool bpf2go -cc clang-19 -strip llvm-strip-19 -target bpfel
//go:generate bpf2go names kernelnames.bpf.c -- -Wall -Werror -D__TARGET_ARCH_x86 -I/usr/include/x86_64-linux-gnu

// Names names functions of the kernel. It is not safe for concurrent use.
type Names struct{ objects namesObjects }

// Open loads the BPF program. That takes some milliseconds, CAP_BPF and CAP_PERFMON. The caller closes it.
func Open() (*Names, error) {
	n := new(Names)
	if err := loadNamesObjects(&n.objects, nil); err != nil {
		return nil, fmt.Errorf("load the BPF program: %w", err)
	}
	return n, nil
}

// Close releases the BPF program.
func (n *Names) Close() error { return n.objects.Close() }

// Name returns the name of the function that an address is in, and its module as in "function [module]"; "" if the
// address is in none.
func (n *Names) Name(address uint64) (string, error) {
	length, err := n.objects.HotspanKernelName.Run(&ebpf.RunOptions{Context: struct{ Address uint64 }{address}})
	if err != nil {
		return "", fmt.Errorf("name a function of the kernel: %w", err)
	}
	var text [768]byte
	if err := n.objects.Name.Get(&text); err != nil {
		return "", fmt.Errorf("name a function of the kernel: %w", err)
	}
	name, _, _ := bytes.Cut(text[:min(int(length), len(text))], []byte{0})
	if strings.HasPrefix(string(name), "0x") { // as it is printed where it has no name
		return "", nil
	}
	return string(name), nil
}
