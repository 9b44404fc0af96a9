package agent

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// capabilitySets are those of /proc/PID/status that matter here, a bit for each capability.
type capabilitySets struct{ effective, bounding uint64 }

func (c capabilitySets) has(capability int) bool { return c.effective>>capability&1 == 1 }

// parseStatus reads the capabilities in /proc/PID/status.
func parseStatus(b []byte) (c capabilitySets, err error) {
	found := 0
	for line := range bytes.Lines(b) {
		key, value, _ := strings.Cut(string(line), ":")
		to := map[string]*uint64{"CapEff": &c.effective, "CapBnd": &c.bounding}[key]
		if to == nil {
			continue
		}
		if *to, err = strconv.ParseUint(strings.TrimSpace(value), 16, 64); err != nil {
			return c, fmt.Errorf("%s of /proc/PID/status: %w", key, err)
		}
		found++
	}
	if found < 2 {
		return c, fmt.Errorf("/proc/PID/status: no CapEff or no CapBnd")
	}
	return c, nil
}

// rights is all that decides what this user may do.
type rights struct {
	capabilitySets
	paranoid, kptr int // kernel.perf_event_paranoid, kernel.kptr_restrict; -1 = there is none
	ptraceScope    int // kernel.yama.ptrace_scope; -1 = there is none
	kernelNames    bool
	self           string // path of this program
}

func permissions() []Finding {
	status, err := os.ReadFile("/proc/self/status")
	if err == nil {
		var c capabilitySets
		if c, err = parseStatus(status); err == nil {
			return rights{
				capabilitySets: c, self: self(), kernelNames: showsKernelNames(),
				paranoid: sysctl("kernel/perf_event_paranoid"), kptr: sysctl("kernel/kptr_restrict"),
				ptraceScope: sysctl("kernel/yama/ptrace_scope"),
			}.findings()
		}
	}
	return []Finding{{Mark: Warning, What: "capabilities", Found: err.Error()}}
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
	out := []Finding{
		r.capability("CAP_BPF", unix.CAP_BPF, "to load the BPF program"),
		r.capability("CAP_PERFMON", unix.CAP_PERFMON, "to read in it, and for the timers"),
		r.ptrace(),
		r.kernelSymbols(),
	}
	// Debian's and Ubuntu's kernels know levels above 2, which refuse perf events to all but CAP_SYS_ADMIN.
	if r.paranoid > 2 && !r.has(unix.CAP_SYS_ADMIN) && r.has(unix.CAP_PERFMON) {
		out = append(out, Finding{Warning, "perf events", fmt.Sprintf("kernel.perf_event_paranoid is %d: some kernels then refuse them", r.paranoid),
			"sudo sysctl kernel.perf_event_paranoid=2"})
	}
	return out
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

// ptrace: without the capability the memory of the user's own processes may be read, unless Yama is stricter.
func (r rights) ptrace() Finding {
	f := r.capability("CAP_SYS_PTRACE", unix.CAP_SYS_PTRACE, "to read the memory of other users' processes")
	switch {
	case r.ptraceScope == 3:
		f.Mark, f.Found = Missing, "kernel.yama.ptrace_scope is 3: nobody may read another process's memory until a reboot with a lower value"
		f.Mend = "sudo sed -i 's/ptrace_scope *= *3/ptrace_scope = 1/' /etc/sysctl.d/*.conf && sudo reboot"
	case f.Mark == OK:
	case r.ptraceScope <= 0:
		f.Mark, f.Found = Warning, "needed to read the memory of other users' processes; yours can be sampled"
	default:
		f.Found = fmt.Sprintf("needed to read the memory of other processes, yours too (kernel.yama.ptrace_scope is %d)", r.ptraceScope)
	}
	return f
}

// kernelSymbols: who may see the kernel's addresses stands in kernel/ksyms_common.c, kallsyms_show_value.
func (r rights) kernelSymbols() Finding {
	f := Finding{What: "kernel names", Found: "/proc/kallsyms shows addresses"}
	if r.kernelNames {
		return f
	}
	f.Mark, f.Found = Warning, "hidden from this user (CAP_SYSLOG): kernel frames will have no names"
	f.Mend = r.grant(unix.CAP_SYSLOG)
	if r.kptr >= 2 {
		f.Found = "kernel.kptr_restrict is 2: kernel frames will have no names"
		f.Mend = "sudo sysctl kernel.kptr_restrict=0"
	}
	return f
}

// grant is the command that gives capabilities: to the file of this program; or to the container, where they are
// outside the bounding set: then a file that has them could not even be started.
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
	return "sudo setcap " + strings.Join(all, ",") + "=ep " + quoted(r.self)
}

var capabilityNames = map[int]string{
	unix.CAP_BPF: "BPF", unix.CAP_PERFMON: "PERFMON", unix.CAP_SYS_PTRACE: "SYS_PTRACE", unix.CAP_SYSLOG: "SYSLOG",
}

// quoted writes a path so that a shell takes it for one word.
func quoted(path string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+:,@%", r)
	}
	if strings.IndexFunc(path, func(r rune) bool { return !plain(r) }) < 0 {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// maxHiddenLines bounds what is read of /proc/kallsyms: the first symbols are those of per-CPU data, of which one has
// the address 0 for everybody.
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
