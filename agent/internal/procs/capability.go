package procs

import "golang.org/x/sys/unix"

// Capable reports whether this process has capabilities, such as unix.CAP_SYS_PTRACE, all of them.
func Capable(capabilities ...int) bool {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var sets [2]unix.CapUserData // each capability is a bit: 32 in each
	if unix.Capget(&header, &sets[0]) != nil {
		return false
	}
	for _, c := range capabilities {
		if sets[c/32].Effective>>(c%32)&1 == 0 {
			return false
		}
	}
	return true
}
