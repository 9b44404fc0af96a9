package doctor

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/inspect"
)

// rights is everything that determines what this user may do.
type rights struct {
	capabilitySets
	ptraceScope int // kernel.yama.ptrace_scope; -1 if the kernel has none
	self        string
}

func permissions() []Finding {
	c, err := ownCapabilities()
	if err != nil {
		return []Finding{{Mark: Warning, What: "capabilities", Found: err.Error()}}
	}
	return rights{capabilitySets: c, self: self(), ptraceScope: sysctl("kernel/yama/ptrace_scope")}.findings()
}

func sysctl(name string) int {
	b, err := os.ReadFile("/proc/sys/" + name)
	if err != nil {
		return -1
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		return -1
	}
	return n
}

func (r rights) findings() []Finding {
	return []Finding{
		r.capability("CAP_BPF", unix.CAP_BPF, "to load the BPF program"),
		r.capability("CAP_PERFMON", unix.CAP_PERFMON, "to read memory in it, and for its timers"),
		r.ptrace(),
	}
}

func (r rights) capability(name string, n int, purpose string) Finding {
	switch {
	case r.has(n):
		return Finding{OK, name, purpose, ""}
	case n != unix.CAP_SYS_PTRACE && r.has(unix.CAP_SYS_ADMIN):
		return Finding{OK, name, purpose + "; CAP_SYS_ADMIN stands in for it", ""}
	}
	return Finding{Missing, name, "needed " + purpose, r.grant()}
}

// ptrace checks CAP_SYS_PTRACE. Without it a user may read the memory of their own processes, unless Yama is stricter.
func (r rights) ptrace() Finding {
	f := r.capability("CAP_SYS_PTRACE", unix.CAP_SYS_PTRACE, "to read the memory of other users' processes")
	switch {
	case r.ptraceScope == 3:
		f.Mark, f.Found = Missing, "kernel.yama.ptrace_scope is 3: "+
			"nobody may read another process's memory until a reboot with a lower value"
		f.Fix = "sudo sed -i 's/ptrace_scope *= *3/ptrace_scope = 1/' /etc/sysctl.d/*.conf && sudo reboot"
	case f.Mark == OK:
	case r.ptraceScope <= 0:
		f.Mark, f.Found = Warning, "needed to read the memory of other users' processes, not of your own"
	default:
		f.Found = fmt.Sprintf("needed to read the memory of other processes, "+
			"yours too (kernel.yama.ptrace_scope is %d)", r.ptraceScope)
	}
	return f
}

// grant returns the command that grants all three capabilities to the hotspan executable. If they are outside the
// bounding set, it grants them to the container instead: an executable with such capabilities could not be started.
func (r rights) grant() string {
	var all, outside []string
	for _, c := range []struct {
		name   string
		number int
	}{{"BPF", unix.CAP_BPF}, {"PERFMON", unix.CAP_PERFMON}, {"SYS_PTRACE", unix.CAP_SYS_PTRACE}} {
		all = append(all, "cap_"+strings.ToLower(c.name))
		if r.bounding>>c.number&1 == 0 {
			outside = append(outside, "--cap-add="+c.name)
		}
	}
	if len(outside) > 0 {
		return "docker run --pid=host " + strings.Join(outside, " ") + " …"
	}
	return "sudo setcap " + strings.Join(all, ",") + "=ep " + inspect.Quoted(r.self)
}

// self returns the path of the hotspan executable, for commands that fix something.
func self() string {
	path, err := os.Executable()
	if err != nil {
		return "hotspan"
	}
	return path
}
