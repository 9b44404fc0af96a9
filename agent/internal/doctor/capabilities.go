package doctor

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/inspect"
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
		return c, errors.New("/proc/PID/status: no CapEff or no CapBnd")
	}
	return c, nil
}

func ownCapabilities() (capabilitySets, error) {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return capabilitySets{}, err
	}
	return parseStatus(b)
}

// denial says why a process may not be looked at.
func denial() error {
	if c, err := ownCapabilities(); err == nil && c.has(unix.CAP_SYS_PTRACE) {
		return errors.New("the kernel does not let this user look at it, whatever the capabilities")
	}
	return errors.New("another user's, it may not be looked at without CAP_SYS_PTRACE")
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
	return "sudo setcap " + strings.Join(all, ",") + "=ep " + inspect.Quoted(r.self)
}

var capabilityNames = map[int]string{
	unix.CAP_BPF: "BPF", unix.CAP_PERFMON: "PERFMON", unix.CAP_SYS_PTRACE: "SYS_PTRACE", unix.CAP_SYSLOG: "SYSLOG",
}
