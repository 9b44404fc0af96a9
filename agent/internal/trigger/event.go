package trigger

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"
)

// event is a software event of perf on one CPU.
type event int // its descriptor

// openEvent makes an event that is disabled, and has a program run at it.
func openEvent(p *ebpf.Program, cpu int, kind, period uint64) (event, error) {
	attr := unix.PerfEventAttr{
		Type:        unix.PERF_TYPE_SOFTWARE,
		Config:      kind,
		Size:        unix.PERF_ATTR_SIZE_VER5,
		Sample:      period,
		Read_format: unix.PERF_FORMAT_TOTAL_TIME_ENABLED,
		// The program has nothing to do on an idle CPU.
		Bits: unix.PerfBitDisabled | unix.PerfBitExcludeIdle,
	}
	fd, err := unix.PerfEventOpen(&attr, -1, cpu, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if err != nil {
		return 0, err
	}
	if err := unix.IoctlSetInt(fd, unix.PERF_EVENT_IOC_SET_BPF, p.FD()); err != nil {
		unix.Close(fd)
		return 0, fmt.Errorf("attach the BPF program: %w", err)
	}
	return event(fd), nil
}

func (e event) enable(on bool) error {
	request := uint(unix.PERF_EVENT_IOC_DISABLE)
	if on {
		request = unix.PERF_EVENT_IOC_ENABLE
	}
	return unix.IoctlSetInt(int(e), request, 0)
}

// stopped returns for how long a clock was enabled and did not run: the kernel lets an event come so often in one of
// its ticks at most as kernel.perf_event_max_sample_rate says, and then stops it for the rest. A clock counts the
// nanoseconds for which it runs. (Linux, kernel/events/core.c, cpu_clock_event_update)
func (e event) stopped() time.Duration {
	var b [16]byte
	if n, err := unix.Read(int(e), b[:]); err != nil || n < len(b) {
		return 0
	}
	ran, enabled := binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint64(b[8:])
	return time.Duration(max(int64(enabled-ran), 0))
}

func (e event) close() { unix.Close(int(e)) }
