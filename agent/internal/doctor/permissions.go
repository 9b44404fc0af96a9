package doctor

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/inspect"
)

// rights is everything that determines what this user may do.
type rights struct {
	capabilitySets
	kptr        int  // kernel.kptr_restrict; -1 if the kernel has none
	ptraceScope int  // kernel.yama.ptrace_scope; -1 if the kernel has none
	kernelNames bool // /proc/kallsyms shows addresses
	self        string
}

func permissions() []Finding {
	c, err := ownCapabilities()
	if err != nil {
		return []Finding{{Mark: Warning, What: "capabilities", Found: err.Error()}}
	}
	return rights{
		capabilitySets: c, self: self(), kernelNames: showsKernelNames(),
		kptr: sysctl("kernel/kptr_restrict"), ptraceScope: sysctl("kernel/yama/ptrace_scope"),
	}.findings()
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
		r.kernelSymbols(),
	}
}

func (r rights) capability(name string, n int, purpose string) Finding {
	switch {
	case r.has(n):
		return Finding{OK, name, purpose, ""}
	case n != unix.CAP_SYS_PTRACE && r.has(unix.CAP_SYS_ADMIN):
		return Finding{OK, name, purpose + "; CAP_SYS_ADMIN stands in for it", ""}
	}
	return Finding{Missing, name, "needed " + purpose, r.grant(n)}
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

// kernelSymbols checks whether this user may see kernel addresses. (kernel/ksyms_common.c, kallsyms_show_value)
func (r rights) kernelSymbols() Finding {
	f := Finding{What: "kernel names", Found: "/proc/kallsyms shows addresses"}
	if r.kernelNames {
		return f
	}
	f.Mark, f.Found = Warning, "hidden from this user, who lacks CAP_SYSLOG: kernel frames will have no names"
	var fix []string
	if r.kptr >= 2 {
		f.Found = fmt.Sprintf("kernel.kptr_restrict is %d: kernel frames will have no names", r.kptr)
		fix = append(fix, "sudo sysctl kernel.kptr_restrict=1")
	}
	if !r.has(unix.CAP_SYSLOG) {
		fix = append(fix, r.grant(unix.CAP_SYSLOG))
	}
	f.Fix = strings.Join(fix, " && ")
	return f
}

// maxHiddenLines bounds the lines read of /proc/kallsyms. The first ones are per-CPU data, of which one has address 0
// for every user.
const maxHiddenLines = 4096

func showsKernelNames() bool {
	f, err := os.Open("/proc/kallsyms")
	if err != nil {
		return false
	}
	defer f.Close()
	return showsAddresses(f)
}

func showsAddresses(r io.Reader) bool {
	lines := bufio.NewScanner(r)
	for n := 0; n < maxHiddenLines && lines.Scan(); n++ {
		address, _, _ := strings.Cut(lines.Text(), " ")
		if strings.Trim(address, "0") != "" {
			return true
		}
	}
	return false
}

// grant returns the command that grants capabilities to the hotspan executable. If they are outside the bounding set,
// it grants them to the container instead: an executable with such capabilities could not even be started.
func (r rights) grant(n int) string {
	need := []int{unix.CAP_BPF, unix.CAP_PERFMON, unix.CAP_SYS_PTRACE}
	if !slices.Contains(need, n) {
		need = append(need, n)
	}
	var all, outside []string
	for _, n := range need {
		all = append(all, "cap_"+strings.ToLower(capabilityNames[n]))
		if r.bounding>>n&1 == 0 {
			outside = append(outside, "--cap-add="+capabilityNames[n])
		}
	}
	if len(outside) > 0 {
		return "docker run --pid=host " + strings.Join(outside, " ") + " …"
	}
	return "sudo setcap " + strings.Join(all, ",") + "=ep " + inspect.Quoted(r.self)
}

var capabilityNames = map[int]string{
	unix.CAP_BPF: "BPF", unix.CAP_PERFMON: "PERFMON", unix.CAP_SYS_PTRACE: "SYS_PTRACE", unix.CAP_SYSLOG: "SYSLOG",
}

// self returns the path of the hotspan executable, for commands that fix something.
func self() string {
	path, err := os.Executable()
	if err != nil {
		return "hotspan"
	}
	return path
}
