package trigger

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

func TestParseCPUs(t *testing.T) {
	for _, c := range []struct {
		list string
		want []int
	}{
		{"0", []int{0}}, {"0-3", []int{0, 1, 2, 3}}, {"0-1,4,6-7", []int{0, 1, 4, 6, 7}}, {"127", []int{127}},
		{"", nil}, {"a", nil}, {"0-", nil}, {"-1", nil}, {"0,", nil}, {"1-2-3", nil}, {"0-65537", nil},
		{"0-99999999999999999999", nil}, {"0\n", nil},
	} {
		got, err := parseCPUs(c.list)
		if (err == nil) != (c.want != nil) {
			t.Errorf("%q: %v, %v", c.list, got, err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q: %s", c.list, diff)
		}
		if err != nil && !strings.Contains(err.Error(), "list of CPUs") {
			t.Errorf("%q: %v", c.list, err)
		}
	}
}

func TestStartNonsense(t *testing.T) {
	for _, rate := range []int{0, -99} {
		if _, err := Start(nil, Config{Rate: rate}); err == nil || !strings.Contains(err.Error(), "at least 1") {
			t.Errorf("rate %d: %v", rate, err)
		}
	}
}

// TestChangeFails: where other timers cannot be enabled the old ones go on, and where they can these are closed.
func TestChangeFails(t *testing.T) {
	p, err := ebpf.NewProgram(&ebpf.ProgramSpec{
		Type: ebpf.PerfEvent, Instructions: asm.Instructions{asm.Mov.Imm(asm.R0, 0), asm.Return()}, License: "GPL",
	})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	timer, err := startTimer(p, 99)
	if err != nil {
		t.Fatal(err)
	}
	defer timer.Stop()
	old := timer.events
	const none = event(-1) // no descriptor
	if err := timer.goOver(&events{of: map[int]event{0: none}}, func() {}); !errors.Is(err, unix.EBADF) {
		t.Errorf("timers that cannot be enabled: %v", err)
	}
	if timer.events != old || len(old.of) == 0 {
		t.Fatal("the old timers are not those that there are")
	}
	for cpu, e := range old.of {
		before := enabledFor(t, e)
		time.Sleep(time.Millisecond)
		if enabledFor(t, e) == before {
			t.Errorf("the old timer of CPU %d does not go on", cpu)
		}
	}
	if err := timer.Change(199, func() {}); err != nil || timer.events == old || len(old.of) > 0 {
		t.Errorf("%v, the old timers are there: %v", err, timer.events == old)
	}
}

// enabledFor is for how many nanoseconds an event has been enabled.
func enabledFor(t *testing.T, e event) uint64 {
	t.Helper()
	var b [16]byte
	if _, err := unix.Read(int(e), b[:]); err != nil {
		t.Fatal(err)
	}
	return binary.LittleEndian.Uint64(b[8:])
}
