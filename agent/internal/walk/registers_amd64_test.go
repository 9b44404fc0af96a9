package walk

import (
	"testing"

	"golang.org/x/sys/unix"

	memory "github.com/hotspan/hotspan/v8/target"
)

// registers are those of a stopped thread.
func registers(t testing.TB, pid int) (r memory.Registers) {
	t.Helper()
	var regs unix.PtraceRegs
	if err := unix.PtraceGetRegs(pid, &regs); err != nil {
		t.Fatalf("registers of %d: %v", pid, err)
	}
	r.General = [16]uint64{
		regs.Rax, regs.Rdx, regs.Rcx, regs.Rbx, regs.Rsi, regs.Rdi, regs.Rbp, regs.Rsp,
		regs.R8, regs.R9, regs.R10, regs.R11, regs.R12, regs.R13, regs.R14, regs.R15,
	}
	r.IP, r.FSBase = regs.Rip, regs.Fs_base
	return r
}
