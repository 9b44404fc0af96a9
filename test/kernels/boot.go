package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/hotspan/hotspan/test/kernels/outcome"
)

const emulator = "qemu-system-x86_64"

// boot runs a kernel in a virtual machine, without hardware support: that is slow, and works everywhere. What the
// console says goes to log. The error is that of a machine that does not end in time, or says nothing.
func boot(kernel, initramfs string, limit time.Duration, log func(string)) (o outcome.Outcome, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	// One thread for both CPUs: with one each, a CPU of the emulator may run a breakpoint that the kernel has already
	// taken back from its own code, as it does for tracepoints, and the kernel panics ("Oops: int3").
	// And no large pages but where a program asks for them: Linux 7.2 takes the CPU from khugepaged, which
	// has the lowest priority, also while it holds the lock of a process's memory. Here it had it back after 20 s.
	cmd := exec.CommandContext(ctx, emulator, "-accel", "tcg,thread=single", "-cpu", "max", "-smp", "2", "-m", "3072",
		"-kernel", kernel, "-initrd", initramfs, "-append",
		"console=ttyS0 panic=-1 no_timer_check quiet transparent_hugepage=madvise",
		"-display", "none", "-serial", "stdio", "-monitor", "none", "-nic", "none", "-no-reboot")
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return o, err
	}
	if err := cmd.Start(); err != nil {
		return o, err
	}
	found := false
	lines := bufio.NewScanner(out)
	for lines.Buffer(nil, 1<<20); lines.Scan(); {
		_, text, ok := strings.Cut(lines.Text(), outcome.Prefix) // the kernel may have begun the line
		if !ok {
			log(lines.Text())
			continue
		}
		if err := json.Unmarshal([]byte(text), &o); err != nil {
			return o, err
		}
		found = true
	}
	err = cmd.Wait()
	if found {
		return o, nil
	}
	if ctx.Err() != nil {
		return o, fmt.Errorf("no outcome after %v", limit)
	}
	return o, fmt.Errorf("the virtual machine ended without an outcome: %v", err)
}
