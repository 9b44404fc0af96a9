package trigger

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/probe"
)

// checkKernel returns an error if the kernel lacks what probes need. (Linux, kernel/events/core.c, perf_uprobe)
func checkKernel(specs []probe.Spec) error {
	for _, s := range specs {
		if s.Kind == probe.Tracepoint {
			if err := checkTracepoint(&s); err != nil {
				return err
			}
		}
		if _, err := os.Stat("/sys/bus/event_source/devices/uprobe/type"); err != nil && s.Kind.InFile() {
			return fmt.Errorf("this kernel has no uprobes (CONFIG_UPROBE_EVENTS): %w", err)
		}
		if major, minor := release(); s.Kind == probe.Uretprobe && (major < 6 || major == 6 && minor < 13) {
			return fmt.Errorf("probe %s: uretprobe needs Linux 6.13, this is %d.%d: an older one cannot leave out "+
				"calls by V8's code, which would end the process", s.Text, major, minor)
		}
	}
	return nil
}

// release returns the kernel's release, 0 where it cannot be told.
func release() (major, minor int) {
	var u unix.Utsname
	if unix.Uname(&u) == nil {
		_, _ = fmt.Sscanf(unix.ByteSliceToString(u.Release[:]), "%d.%d", &major, &minor)
	}
	return major, minor
}

// checkTracepoint returns an error if the kernel lacks what a probe on a tracepoint needs.
func checkTracepoint(s *probe.Spec) error {
	if major, minor := release(); major < 6 || major == 6 && minor < 10 {
		return fmt.Errorf("probe %s: tp needs Linux 6.10, this is %d.%d", s.Text, major, minor)
	}
	var u unix.Utsname
	if unix.Uname(&u) == nil && strings.Contains(unix.ByteSliceToString(u.Version[:]), "PREEMPT_RT") {
		return fmt.Errorf("probe %s: a kernel with PREEMPT_RT has softirqs on the stacks of threads: whose a hit is "+
			"cannot be told", s.Text)
	}
	return checkArguments(s)
}
