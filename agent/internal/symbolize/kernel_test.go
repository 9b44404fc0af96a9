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

// Nothing is read before the first kernel frame, and every frame has its name when a snapshot is cut.
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
	k.Name()
	if k.read != nil {
		t.Error("symbols are read before a kernel frame came")
	}
	var frames []*pprofx.Frame
	for i := range uint64(8) {
		frames = append(frames, k.frame(entry+i, 0))
	}
	k.Name()
	frames = append(frames, k.frame(entry+8, 0)) // named at once
	for _, f := range frames {
		if f.Function != "entry_SYSCALL_64" || f.Kind != pprofx.Kernel || k.frame(f.Address, 0) != f {
			t.Errorf("%+v", f)
		}
	}
	for i := range uint64(4 * maxKernel) {
		k.frame(i, 0)
	}
	if n := k.frames.len(); n > 2*maxKernel {
		t.Errorf("%d frames are kept", n)
	}
	if len(k.unnamed) != 0 {
		t.Errorf("%d frames without names", len(k.unnamed))
	}
}
