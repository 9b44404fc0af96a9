package bpftest

import (
	"fmt"
	"os"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

const addrNoRandomize = 0x0040000 // ADDR_NO_RANDOMIZE of linux/personality.h

// MaxAddress is where, going up, the memory of a process without random addresses begins: below its stack the kernel
// puts what is mapped, and Go reserves some hundreds of megabytes. The stack of one with random addresses lies there
// one time in eight; a test must find another.
const MaxAddress = 0x7fff_8000_0000

// Main runs the tests of a package that maps recorded pages: its TestMain calls it. The recorded process's memory lay
// at random addresses, and so would this one's: one time in some hundreds they would collide. So this process starts
// itself again with addresses that are the same each time, where no page of a recording that is kept lies.
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

// Randomize lets the programs that the calling goroutine starts have random addresses again: else they would lie where
// this process does.
func Randomize(t testing.TB) {
	t.Helper()
	runtime.LockOSThread()
	if _, _, errno := unix.Syscall(unix.SYS_PERSONALITY, 0, 0, 0); errno != 0 {
		t.Fatalf("personality: %v", errno)
	}
}
