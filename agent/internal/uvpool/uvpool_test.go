package uvpool

import (
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/agent/internal/symbols"
	"github.com/hotspan/hotspan/test/nodes/live"
)

var (
	registerNames = map[uint8]string{3: "rbx", 12: "r12", 13: "r13"}
	callRE        = regexp.MustCompile(`call +\*(-?0x[0-9a-f]+)\(%(\w+)\)\n +([0-9a-f]+):`)
)

// TestFind compares with what binutils say: nm of the functions, objdump of the call in worker().
func TestFind(t *testing.T) {
	for _, version := range []string{"16.20.2", "22.23.3", "25.0.0", "26.10.0"} {
		t.Run(version, func(t *testing.T) {
			path := live.Binary(t, version)
			p, err := open(t, path)
			if err != nil || p == nil {
				t.Fatalf("%v, %v", p, err)
			}
			at := addresses(t, path)
			for kind, name := range functions {
				if p.Functions[kind] == 0 || p.Functions[kind] != at[name] {
					t.Errorf("%s at %#x, nm says %#x", name, p.Functions[kind], at[name])
				}
			}
			if p.NodeWork == 0 || p.NodeWork != max(at[nodeWork[0]], at[nodeWork[1]]) {
				t.Errorf("Node's work at %#x, nm says %#x or %#x", p.NodeWork, at[nodeWork[0]], at[nodeWork[1]])
			}
			start := fmt.Sprintf("--start-address=%d", at[worker])
			code := binutils(t, "objdump", "-d", "--no-show-raw-insn", start,
				fmt.Sprintf("--stop-address=%d", p.Return+1), path)
			m := callRE.FindStringSubmatch(code)
			if m == nil {
				t.Fatalf("objdump shows no such call:\n%s", code)
			}
			offset, _ := strconv.ParseInt(m[1], 0, 32)
			if int64(p.Offset) != offset || registerNames[p.Register] != m[2] || fmt.Sprintf("%x", p.Return) != m[3] {
				t.Errorf("%+v, objdump says %q", p, m[0])
			}
			checkCalls(t, p, path, at)
		})
	}
}

var callEndRE = regexp.MustCompile(`\tcall .*\n +([0-9a-f]+):`)

// checkCalls compares the calls in functions that worker() calls, and in one of those that Node calls for a job, with
// what objdump shows.
func checkCalls(t *testing.T, p *Pool, path string, at map[string]uint64) {
	t.Helper()
	names := []string{
		functions[FileSystem], functions[AddressInfo], functions[NameInfo], nodeLambda,
		"_ZN4node6crypto13DeriveBitsJobINS0_12ScryptTraitsEE16DoThreadPoolWorkEv",
	}
	calls := 0
	for _, name := range names {
		if at[name] == 0 {
			continue
		}
		code := binutils(t, "objdump", "-d", "--no-show-raw-insn", "--disassemble="+name, path)
		for _, m := range callEndRE.FindAllStringSubmatch(code, -1) {
			calls++
			if end, _ := strconv.ParseUint(m[1], 16, 64); !slices.Contains(p.Calls, end-1) {
				t.Errorf("%s: no call that ends at %#x", name, end)
			}
		}
	}
	if calls < 50 || len(p.Calls) == maxCalls {
		t.Errorf("objdump shows %d calls; %d were found", calls, len(p.Calls))
	}
}

func open(t *testing.T, path string) (*Pool, error) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	f, err := elf.NewFile(file)
	if err != nil {
		t.Fatal(err)
	}
	names, err := symbols.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	return Find(f, names)
}

func addresses(t *testing.T, path string) map[string]uint64 {
	at := map[string]uint64{}
	for line := range strings.Lines(binutils(t, "nm", path)) {
		if f := strings.Fields(line); len(f) == 3 {
			at[f[2]], _ = strconv.ParseUint(f[0], 16, 64)
		}
	}
	return at
}

func binutils(t *testing.T, tool string, args ...string) string {
	t.Helper()
	out, err := exec.Command(tool, args...).Output()
	if err != nil {
		t.Fatalf("%s %v: %v: this test compares with binutils", tool, args, err)
	}
	return string(out)
}

// TestNoPool: a file without libuv has none, which is no error.
func TestNoPool(t *testing.T) {
	if p, err := open(t, live.Libc(t)); p != nil || err != nil {
		t.Errorf("%v, %v", p, err)
	}
}
