package symbolize

import (
	"bytes"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"testing"

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
