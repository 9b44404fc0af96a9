package doctor

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/agent/internal/procs"

	"golang.org/x/sys/unix"
)

// capabilitySets are the effective and the bounding set of /proc/PID/status, a bit for each capability.
type capabilitySets struct{ effective, bounding uint64 }

func (c capabilitySets) has(capability int) bool { return c.effective>>capability&1 == 1 }

// parseStatus reads the capabilities in /proc/PID/status.
func parseStatus(b []byte) (c capabilitySets, err error) {
	for key, to := range map[string]*uint64{"CapEff": &c.effective, "CapBnd": &c.bounding} {
		value, _ := procs.StatusField(b, key)
		if len(value) != 1 {
			return c, errors.New("/proc/PID/status: no CapEff or no CapBnd")
		}
		if *to, err = strconv.ParseUint(value[0], 16, 64); err != nil {
			return c, fmt.Errorf("%s of /proc/PID/status: %w", key, err)
		}
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

// isDenied reports whether an error says that a process may not be read. ENOSYS is what a seccomp filter may say.
func isDenied(err error) bool { return errors.Is(err, os.ErrPermission) || errors.Is(err, unix.ENOSYS) }

// isFiltered reports whether it may be of such a filter.
func isFiltered(err error) bool { return isDenied(err) && procs.Filtered() }

// denial explains why this user may not read a process, of which the error is.
func denial(pid int, err error) error {
	if errors.Is(err, process.ErrUnreadable) {
		return fmt.Errorf("its executable or a library may not be read by this user: %w", process.ErrUnreadable)
	}
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	users, _ := procs.StatusField(status, "Uid")
	me := strconv.Itoa(os.Geteuid())
	mine := len(users) > 2 && users[0] == me && users[1] == me && users[2] == me // real, effective, saved
	switch capable := procs.Capable(unix.CAP_SYS_PTRACE); {
	case (capable || mine) && isFiltered(err):
		return errors.New("hotspan runs under " + procs.SeccompAdvice)
	case capable:
		return errors.New("the kernel does not let this user read it, whatever the capabilities")
	case mine:
		return errors.New("yours, but not dumpable (PR_SET_DUMPABLE), or kept from you by kernel.yama.ptrace_scope: " +
			"reading it needs CAP_SYS_PTRACE")
	}
	return errors.New("another user's, reading it needs CAP_SYS_PTRACE")
}
