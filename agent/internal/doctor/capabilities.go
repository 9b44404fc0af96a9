package doctor

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// capabilitySets are the effective and the bounding set of /proc/PID/status, a bit for each capability.
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

// denial explains why this user may not read a process.
func denial() error {
	if c, err := ownCapabilities(); err == nil && c.has(unix.CAP_SYS_PTRACE) {
		return errors.New("the kernel does not let this user read it, whatever the capabilities")
	}
	return errors.New("another user's, reading it needs CAP_SYS_PTRACE")
}
