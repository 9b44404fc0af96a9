package symbolize

import (
	"bytes"
	"log/slog"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/bpf/kernelnames"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/pprofx"
)

// TestKernelNames: each frame has its name at once. A return address is that of a call before it.
func TestKernelNames(t *testing.T) {
	text, err := os.ReadFile("/proc/kallsyms")
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(string(text[bytes.Index(text, []byte(" entry_SYSCALL_64\n"))-18:]), " ")
	entry, err := strconv.ParseUint(strings.TrimSpace(line), 16, 64)
	if err != nil || entry == 0 {
		t.Skip("this user may not see kernel addresses; run as root")
	}
	k := NewKernel(slog.Default())
	defer k.Close()
	for i := range uint64(8) {
		for _, exact := range []bool{true, false} {
			f := k.frame(entry+i, exact, 0)
			named := f.Function == "entry_SYSCALL_64"
			if named != (exact || i > 0) || f.Kind != pprofx.Kernel || k.frame(f.Address, exact, 0) != f {
				t.Errorf("%d behind, exact %v: %+v", i, exact, f)
			}
		}
	}
	for i := range uint64(4 * maxKernel) {
		k.frame(i, true, 0)
	}
	if n := k.frames.len(); n > 2*maxKernel {
		t.Errorf("%d frames are kept", n)
	}
}

// TestNoKernelNames: without names frames say so, and hotspan warns once.
func TestNoKernelNames(t *testing.T) {
	var said bytes.Buffer
	k := NewKernel(slog.New(slog.NewTextHandler(&said, nil)))
	k.Close() // as if the kernel refused to run the program
	for i := range uint64(3) {
		if f := k.frame(1<<63+i, true, 0); f.Function != "[unknown]" {
			t.Errorf("%+v", f)
		}
	}
	if strings.Count(said.String(), "kernel frames have no names from now on") != 1 {
		t.Error(said.String())
	}
}

// bpfPrograms are the addresses of the BPF programs that are loaded.
func bpfPrograms(t *testing.T) map[uint64]bool {
	t.Helper()
	text, err := os.ReadFile("/proc/kallsyms")
	if err != nil {
		t.Fatal(err)
	}
	all := map[uint64]bool{}
	for line := range strings.Lines(string(text)) {
		if address, _, _ := strings.Cut(line, " "); strings.HasSuffix(line, "[bpf]\n") {
			at, err := strconv.ParseUint(address, 16, 64)
			if err != nil {
				t.Fatal(err)
			}
			all[at] = true
		}
	}
	return all
}

// TestKernelCodeUnloaded: what a BPF program was called is not what is called that comes after it, also in a stack that
// was seen before.
func TestKernelCodeUnloaded(t *testing.T) {
	before := bpfPrograms(t)
	k := NewKernel(slog.Default())
	defer k.Close()
	k.names()
	loaded, err := kernelnames.Open()
	if err != nil {
		t.Fatal(err)
	}
	z := &Symbolizer{frames: newFrameCache(), stacks: newStackCache(), kernel: k}
	names := map[uint64]string{}
	for at := range bpfPrograms(t) {
		if before[at] || at == 0 {
			continue
		}
		z.stacks.until = math.MaxInt64
		z.name(&sampler.Sample{Sample: &bpf.Sample{}, Kernel: []uint64{at}})
		f := z.frames.stack[0]
		if names[at] = f.Function; k.frame(at, true, 1).Frame != f {
			t.Errorf("%x is named again at once", at)
		}
		if until := z.stacks.until; until > renameAfter {
			t.Errorf("%x, %s: the stack holds until %d", at, f.Function, until)
		}
	}
	z.stacks.put(stackKey{}, &namedStack{until: renameAfter}, 0)
	if z.stacks.find(stackKey{}, nil, nil, renameAfter) != nil {
		t.Error("a stack holds for longer than its frames")
	}
	if err := loaded.Close(); err != nil {
		t.Fatal(err)
	}
	unloaded := func() (all []uint64) {
		now := bpfPrograms(t)
		for at := range names {
			if !now[at] {
				all = append(all, at)
			}
		}
		return all
	}
	for deadline := time.Now().Add(time.Minute); len(unloaded()) == 0 && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	all := unloaded()
	if len(all) == 0 {
		t.Fatalf("of %v none is unloaded", names)
	}
	for _, at := range all {
		f := k.frame(at, true, renameAfter)
		again := bpfPrograms(t)[at] // another hotspan on the machine has loaded the same program there
		if names[at] == "[unknown]" || f.Function == names[at] && !again {
			t.Errorf("%x is %s, and was %s", at, f.Function, names[at])
		}
	}
}
