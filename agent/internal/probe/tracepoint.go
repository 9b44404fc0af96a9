package probe

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
)

// KernelTypes has the types of the kernel, vmlinux, and of its modules, a file of BTF each.
const KernelTypes = "/sys/kernel/btf"

// TracepointType is what the name of a tracepoint's type begins with: a pointer to a function with its arguments,
// behind one of BPF's own. (Linux, include/trace/bpf_probe.h)
const TracepointType = "btf_trace_"

var tracepointName = regexp.MustCompile(`^(?:\w+:)?(\w+)$`)

// betweenStacks are the tracepoints that interrupts pass while they are on the stack of the thread that they
// interrupt: nothing tells them from a system call. (Linux, arch/x86/include/asm/idtentry.h, sysvec_reschedule_ipi;
// kernel/entry/common.c, irqentry_enter)
var betweenStacks = []string{
	"irq_disable", "irq_enable", "preempt_disable", "preempt_enable", "reschedule_entry", "reschedule_exit",
}

// parseTracepoint returns the name in [GROUP:]NAME. What the kernel calls a group stands nowhere but in tracefs: any is
// taken.
func parseTracepoint(text string) (string, error) {
	m := tracepointName.FindStringSubmatch(text)
	if m == nil {
		return "", errors.New("want tp:GROUP:NAME, or tp:NAME")
	}
	if slices.Contains(betweenStacks, m[1]) {
		return "", errors.New("interrupts pass it on the stack of whom they interrupt: it says nothing of that thread")
	}
	return m[1], nil
}

// NoTracepoint returns the error that the kernel has no tracepoint of a name, with the names that are like it.
func NoTracepoint(name string) error {
	n := near{of: name}
	all, _ := kernelTracepoints() // for the message only
	for _, other := range all {
		n.add(other)
	}
	return fmt.Errorf("the kernel has no tracepoint of this name%s", n.text())
}

// kernelTracepoints returns the names of the tracepoints of the kernel and of its modules, sorted.
func kernelTracepoints() (names []string, err error) {
	files, err := os.ReadDir(KernelTypes)
	if err != nil {
		return nil, fmt.Errorf("types of the kernel: %w", err)
	}
	for _, f := range files {
		types, err := os.ReadFile(KernelTypes + "/" + f.Name())
		if err != nil {
			return nil, fmt.Errorf("types of the kernel: %w", err)
		}
		for text := range bytes.SplitSeq(types, []byte{0}) { // names follow each other
			name, ok := bytes.CutPrefix(text, []byte(TracepointType))
			if ok && tracepointName.Match(name) && !slices.Contains(betweenStacks, string(name)) {
				names = append(names, string(name))
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}
