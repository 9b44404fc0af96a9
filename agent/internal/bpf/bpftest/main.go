package bpftest

import (
	"fmt"
	"os"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

const addrNoRandomize = 0x0040000 // ADDR_NO_RANDOMIZE of linux/personality.h

// MaxAddress is a lower bound of the addresses of a process without address randomization: the kernel maps memory below
// the stack, and Go reserves up to some gigabytes. The stack of a process with randomized addresses is above it one
// time in four; then a test must start another process.
const MaxAddress = 0x7fff_0000_0000

// Main runs the tests of a package that maps recorded pages; call it in TestMain. The memory of the recorded process
// had random addresses, and this process would have too: they would collide one time in some hundred. So Main executes
// the test again without address randomization, at addresses that no recording uses.
func Main(m *testing.M) int {
	const ask = 0xffffffff
	runtime.LockOSThread() // the personality is a thread's; exec keeps that of its caller
	old, _, errno := unix.Syscall(unix.SYS_PERSONALITY, ask, 0, 0)
	if errno != 0 || old&addrNoRandomize != 0 {
		return m.Run()
	}
	if _, _, errno := unix.Syscall(unix.SYS_PERSONALITY, old|addrNoRandomize, 0, 0); errno != 0 {
		return m.Run() // not allowed here: a collision will say so
	}
	err := unix.Exec("/proc/self/exe", os.Args, os.Environ())
	fmt.Fprintf(os.Stderr, "start again without random addresses: %v\n", err)
	return 1
}

// Randomize gives processes that the calling goroutine starts random addresses again: else they would have the
// addresses of this process.
func Randomize(t testing.TB) {
	t.Helper()
	runtime.LockOSThread()
	if _, _, errno := unix.Syscall(unix.SYS_PERSONALITY, 0, 0, 0); errno != 0 {
		t.Fatalf("personality: %v", errno)
	}
}
