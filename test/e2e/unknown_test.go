package e2e

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/nodes"
)

// TestUnknownV8: for a V8 without rules, hotspan tries those of earlier versions. The newest Node.js is changed to say
// that its V8 is of version 99. It is still profiled, and doctor distinguishes what was compared with the process from
// what is assumed.
func TestUnknownV8(t *testing.T) {
	t.Parallel()
	list := nodes.Thorough()
	path, err := nodes.Path(list[len(list)-1].Version)
	if err != nil {
		t.Fatal(err)
	}
	node := pretend(t, path, 99)
	p := start(t, node, "functions.js", []string{"--expose-gc"}, nil)
	d := doctor(t, hotspan, 0, "-p", strconv.Itoa(p.PID))
	for _, want := range []string{
		"is newer than 14.6, the newest that hotspan knows",
		"compared        Isolate.tls, ",
		// none of these can be compared with this process
		"assumed         ", "ScopeInfo.inferredNameBit", "JSMap.table",
	} {
		d.says(t, want)
	}
	if strings.Contains(d.stdout, "WRONG") {
		t.Error("doctor says that something is wrong")
	}
	samples := record(t, p.PID, 997, 3*time.Second)
	v := compare(t, samples, p.truth(t))
	atLeast(t, v.Right, "leaf function right", 99, enough)
	atLeast(t, v.Line, "caller's line right", 99, enough)
	if v.Wrong > 0 {
		t.Errorf("%d wrong functions, want none", v.Wrong)
	}
}

// pretend copies a Node.js binary whose V8 has another major version then, of two digits: in the variable that hotspan
// reads, and in the texts that V8 compares with its snapshot.
func pretend(t *testing.T, node string, major uint32) string {
	t.Helper()
	v8, err := exec.Command(node, "-p", "process.versions.v8").Output()
	if err != nil || v8[2] != '.' {
		t.Fatalf("%q, %v", v8, err)
	}
	text := bytes.TrimSpace(v8)
	b, err := os.ReadFile(node)
	if err != nil {
		t.Fatal(err)
	}
	binary.LittleEndian.PutUint32(b[placeOf(t, b, "_ZN2v88internal7Version6major_E"):], major)
	b = bytes.ReplaceAll(b, text, append(strconv.AppendUint(nil, uint64(major), 10), text[2:]...))
	to := filepath.Join(t.TempDir(), "node")
	if err := os.WriteFile(to, b, 0o755); err != nil {
		t.Fatal(err)
	}
	return to
}

// placeOf is where in an ELF file a variable has its first value.
func placeOf(t *testing.T, file []byte, symbol string) uint64 {
	t.Helper()
	f, err := elf.NewFile(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range symbols {
		if s.Name == symbol {
			section := f.Sections[s.Section]
			return s.Value - section.Addr + section.Offset
		}
	}
	t.Fatalf("there is no %s", symbol)
	return 0
}
