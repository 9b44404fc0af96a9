package probe

// Kind is what a probe is put on.
type Kind int

// The kinds of probe.
const (
	Uprobe     Kind = iota + 1 // an instruction of native code
	Uretprobe                  // the return from a function of native code
	USDT                       // places in native code that its authors have named
	Syscall                    // a system call, when it is entered
	SyscallEnd                 // a system call, when it ends: what it returns is asked for
	Tracepoint                 // a place in the kernel that its authors have named
)

// InFile reports whether a probe is on places in a file that a process has mapped.
func (k Kind) InFile() bool { return k == Uprobe || k == Uretprobe || k == USDT }
