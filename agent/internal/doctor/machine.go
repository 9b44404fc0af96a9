package doctor

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/agent/internal/trigger"
)

// oldestKernel has all that the BPF program uses: bpf_loop came with Linux 5.17, later than ring buffers (5.8), maps of
// arrays of different sizes (5.10) and bpf_task_pt_regs (5.15).
var oldestKernel = [2]int{5, 17}

const btfPath = "/sys/kernel/btf/vmlinux"

// machine checks the kernel.
func machine() []Finding {
	var u unix.Utsname
	release := ""
	if unix.Uname(&u) == nil {
		release = unix.ByteSliceToString(u.Release[:])
	}
	found := []Finding{kernelVersion(release), btf(btfPath), sampleRate(trigger.MaxRate())}
	found = append(found, ownLockedMemory(release)...)
	return append(found, openFiles(procs.OpenFiles(1))...)
}

// openFiles checks RLIMIT_NOFILE. There is nothing to say if it is enough for a process.
func openFiles(limit, needed uint64) []Finding {
	if limit >= needed {
		return nil
	}
	return []Finding{{Warning, "open files", fmt.Sprintf("up to %d at a time: the BPF program or processes cannot be "+
		"opened, %d are needed for one", limit, needed), fmt.Sprint("ulimit -n ", max(needed, 1024))}}
}

// tried has the versions of Linux on which hotspan was tried. (make kernels)
//
//go:embed kernels.txt
var tried string

// untried says that hotspan was not tried on a version of Linux; nothing if it was.
func untried(major, minor int) string {
	list := strings.Fields(tried)
	if slices.Contains(list, fmt.Sprintf("%d.%d", major, minor)) {
		return ""
	}
	return fmt.Sprintf(", on which hotspan was not tried: it was on %s", strings.Join(list, ", "))
}

func kernelVersion(release string) Finding {
	f := Finding{What: "kernel", Found: "Linux " + release}
	major, minor, ok := process.ParseRelease(release)
	switch {
	case !ok:
		f.Mark, f.Found = Warning, fmt.Sprintf("Linux %q has no version that can be read; %d.%d or later is needed",
			release, oldestKernel[0], oldestKernel[1])
	case major < oldestKernel[0] || major == oldestKernel[0] && minor < oldestKernel[1]:
		f.Mark = Missing
		f.Found += fmt.Sprintf(" is too old: %d.%d or later is needed, for bpf_loop", oldestKernel[0], oldestKernel[1])
	default:
		f.Found += untried(major, minor)
	}
	return f
}

func btf(path string) Finding {
	f := Finding{What: "BTF", Found: path}
	file, err := os.Open(path)
	if err == nil {
		file.Close()
		return f
	}
	f.Mark = Missing
	if errors.Is(err, os.ErrNotExist) {
		f.Found = path + " is not there: this kernel was built without CONFIG_DEBUG_INFO_BTF, another one is needed"
	} else {
		f.Found = fmt.Sprintf("%v", err)
	}
	return f
}

// usualRate is the default sample rate of the command record, in hertz.
const usualRate = 99

// sampleRate checks kernel.perf_event_max_sample_rate, which the kernel lowers when it finds sampling slow.
func sampleRate(limit int) Finding {
	f := Finding{What: "sample rate", Found: fmt.Sprintf("up to %d samples a second on each CPU", limit)}
	switch {
	case limit == 0:
		f.Mark, f.Found = Missing, "the kernel has no perf events (no kernel.perf_event_max_sample_rate)"
	case limit < usualRate:
		f.Mark, f.Fix = Warning, "sudo sysctl kernel.perf_event_max_sample_rate=100000"
		f.Found += fmt.Sprintf(", the default of %d is refused", usualRate)
	}
	return f
}
