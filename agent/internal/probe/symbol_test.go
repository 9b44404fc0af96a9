package probe

import (
	"debug/elf"
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

func TestBegins(t *testing.T) {
	pushes := []byte{0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x20, 0xc3, 0x06, 0x90} // ends in no instruction
	vexed := []byte{0xf3, 0x0f, 0x1e, 0xfa, 0xc4, 0xe2, 0xf1, 0xf7, 0xc3, 0xc3}        // endbr64; shlx rax,rbx,rcx; ret
	for _, c := range []struct {
		code   []byte
		offset uint64
		want   string
	}{
		{pushes, 0, ""}, {pushes, 1, ""}, {pushes, 4, ""}, {pushes, 8, ""}, {pushes, 9, ""},
		{pushes, 2, "but at +0x1 and +0x4"}, {pushes, 5, "but at +0x4 and +0x8"},
		{pushes, 10, "at +0x9 is none that is known"},
		{pushes, 11, "the function has 11 bytes"}, {pushes, 99, "the function has 11 bytes"},
		{vexed, 0, ""}, {vexed, 4, ""}, {vexed, 9, ""},
		{vexed, 1, "but at +0x0 and +0x4"}, {vexed, 5, "but at +0x4 and +0x9"}, {vexed, 7, "but at +0x4 and +0x9"},
		{vexed, 10, "code ends before it"},
	} {
		err := begins(c.code, c.offset, 11)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("+%d of % x: error %v, want %q", c.offset, c.code, err, c.want)
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

// TestLiteral: each function of a Node.js has in its mangled name what is looked for before names are demangled.
func TestLiteral(t *testing.T) {
	for pattern, want := range map[string]string{
		"v8::internal::Isolate::Throw": "Throw", "A<B::C>::d": "d", "std::allocator<char>::allocator": "",
		"A<B::C>::A": "", "A::~A": "", "A::operator+": "", "A::operator int": "", "A::d*": "", "*::d": "d", "d": "",
	} {
		if got := literal(pattern); got != want {
			t.Errorf("%s: %q, want %q", pattern, got, want)
		}
	}
	f, err := elf.Open(live.Binary(t, "24.21.0"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	known := 0
	for s := range functions(f) {
		name := symbols.Demangled(s.Name)
		part := literal(name)
		if !strings.Contains(s.Name, part) {
			t.Errorf("%s: no %q in %s", name, part, s.Name)
		}
		if part != "" {
			known++
		}
	}
	if known < 50_000 {
		t.Errorf("of %d names only", known)
	}
}
