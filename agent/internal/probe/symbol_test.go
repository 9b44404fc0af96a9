package probe

import (
	"os"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/agent/internal/symbols"
	"github.com/hotspan/hotspan/test/nodes/live"
)

func TestGlob(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"f", "f", true}, {"f", "ff", false}, {"*", "", true}, {"*", "f", true}, {"f*", "f", true}, {"f*g", "fg", true},
		{"f*g", "fxg", true}, {"f*g", "f", false}, {"*b*d", "abcd", true}, {"*b*d", "adcb", false}, {"a*a", "a", false},
		{"operator[]*", "operator[] x", true}, {"a**b", "ab", true},
	} {
		if got := glob(c.pattern, c.name); got != c.want {
			t.Errorf("%s, %s: %v", c.pattern, c.name, got)
		}
	}
}

// TestBegins: push %rbp; mov %rsp,%rbp; sub $0x20,%rsp; ret; no instruction.
func TestBegins(t *testing.T) {
	code := []byte{0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x20, 0xc3, 0x06, 0x90}
	for offset, want := range map[uint64]string{
		0: "", 1: "", 4: "", 8: "", 9: "", 2: "but at +0x1 and +0x4", 5: "but at +0x4 and +0x8",
		10: "at +0x9 is none that is known", 11: "the function has 11 bytes", 99: "the function has 11 bytes",
	} {
		err := begins(code, offset, 11)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("+%d: error %v, want %q", offset, err, want)
		}
	}
}

// TestFind: a function of a Node.js by its name in the file, and demangled, is at the same place as by its address.
func TestFind(t *testing.T) {
	f, err := os.Open(live.Binary(t, "24.21.0"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	table, err := symbols.Open(f)
	if err != nil {
		t.Fatal(err)
	}
	file, err := open(f)
	if err != nil {
		t.Fatal(err)
	}
	const mangled = "_ZN4node2fsL4OpenERKN2v820FunctionCallbackInfoINS1_5ValueEEE"
	addresses := table.Addresses("uv_fs_open", mangled)
	for name, address := range map[string]uint64{
		"uv_fs_open": addresses["uv_fs_open"], "uv_fs_op*n": addresses["uv_fs_open"],
		"no_such|uv_fs_open|uv_fs_close": addresses["uv_fs_open"],
		mangled:                          addresses[mangled],
		"node::fs::Open":                 addresses[mangled],
	} {
		// the executable's code is at the address of its place in the file, beyond that of its first segment
		if got, err := find(file, Spec{Symbol: name}); err != nil || address == 0 || got&0xfff != address&0xfff {
			t.Errorf("%s: %#x, %v, want the place of %#x", name, got, err, address)
		}
	}
}
