package symbols

import (
	"errors"
	"os"
	"strings"
	"testing"
)

const kallsyms = `ffffffff81000000 T _stext
ffffffff81000100 t helper
ffffffff81000100 W alias
ffffffff81000200 D some_data
ffffffff81400000 T far
ffffffffc0a01000 t nf_hook	[nf_tables]
ffffffffc0a00000 t bpf_prog_1234_run	[bpf]
`

func TestKernel(t *testing.T) {
	table, err := Kernel(strings.NewReader(kallsyms))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		addr uint64
		want Symbol
	}{
		{0xffffffff80ffffff, Symbol{}},
		{0xffffffff810000ff, Symbol{"_stext", 0xffffffff81000000, 0x100}},
		{0xffffffff81000250, Symbol{"helper", 0xffffffff81000100, maxReach}},
		{0xffffffff813fffff, Symbol{}},
		{0xffffffffc0a00800, Symbol{"bpf_prog_1234_run [bpf]", 0xffffffffc0a00000, 0x1000}},
		{0xffffffffc0a01001, Symbol{"nf_hook [nf_tables]", 0xffffffffc0a01000, maxReach}},
	} {
		got, ok := table.Lookup(tt.addr)
		if got != tt.want || ok != (tt.want != Symbol{}) {
			t.Errorf("Lookup(%#x) = %+v, %v, want %+v", tt.addr, got, ok, tt.want)
		}
	}
}

func TestKernelErrors(t *testing.T) {
	hidden := "0000000000000000 T _stext\n0000000000000000 t helper\n"
	for _, tt := range []struct {
		name, text string
		is         error
		want       string
	}{
		{"hidden", hidden, ErrHidden, "CAP_SYSLOG"},
		{"hidden", hidden, ErrHidden, "kptr_restrict"},
		{"empty", "", ErrNoSymbols, ""},
		{"data only", "ffffffff81000200 D some_data\n", ErrNoSymbols, ""},
		{"not a table", "hello\n", nil, `line 1 is "hello"`},
		{"bad address", "xyz T f\n", nil, "line 1"},
		{"endless line", strings.Repeat("f", 10*maxKernelLine), nil, "token too long"},
	} {
		_, err := Kernel(strings.NewReader(tt.text))
		if err == nil || tt.is != nil && !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %v with %q", tt.name, err, tt.is, tt.want)
		}
	}
}

// TestRunningKernel: it names its system call entry.
func TestRunningKernel(t *testing.T) {
	text, err := os.ReadFile("/proc/kallsyms")
	if err != nil {
		t.Fatal(err)
	}
	table, err := Kernel(strings.NewReader(string(text)))
	if errors.Is(err, ErrHidden) {
		t.Skip("this user may not see kernel addresses; run as root")
	}
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) < 3 || fields[2] != "entry_SYSCALL_64" {
			continue
		}
		if got, ok := table.Lookup(address(fields[0])); !ok || got.Start != address(fields[0]) {
			t.Errorf("%s: %+v, %v", strings.TrimSpace(line), got, ok)
		}
		return
	}
	t.Error("the kernel has no entry_SYSCALL_64")
}
