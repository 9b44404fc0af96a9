package e2e

import (
	"bytes"
	"debug/elf"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/hotspan/hotspan/test/draw"
)

// TestPerfInject: perf reads the jitdump that hotspan writes. In the place of node's own, perf inject makes an ELF file
// of each piece of code in it, which has the name and the bytes.
func TestPerfInject(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	perf, err := exec.LookPath("perf")
	if err != nil {
		t.Skip("there is no perf:", err)
	}
	node := node24(t)
	p, at := startJITCode(t, node)
	data := filepath.Join(at, "perf.data")
	recorder := exec.Command(perf, "record", "-k", "1", "-e", "cpu-clock", "-F", "99", "-o", data, "-p",
		strconv.Itoa(p.PID), "--", "sleep", "8")
	var said bytes.Buffer
	recorder.Stdout, recorder.Stderr = &said, &said
	if err := recorder.Start(); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "code")
	r := run(t, "record", "-p", strconv.Itoa(p.PID), "-F", "499", "-d", "5s", "-o", filepath.Join(at, "out.jsonl"),
		"--jit-code", dir)
	if err := recorder.Wait(); err != nil || r.Code != 0 {
		t.Fatalf("perf: %v: %s; hotspan ended with %d: %s", err, &said, r.Code, r.Stderr)
	}
	p.truth(t) // node has ended, and leaves its file alone
	name := fmt.Sprintf("jit-%d.dump", p.PID)
	ours := filepath.Join(dir, name)
	if err := os.Rename(ours, filepath.Join(at, name)); err != nil {
		t.Fatal(err)
	}
	inject := exec.Command(perf, "inject", "--jit", "-i", data, "-o", data+".jit")
	if out, err := inject.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	out, err := exec.Command(node, "testdata/jitdump.js", filepath.Join(at, name)).Output()
	if err != nil {
		t.Fatal(err)
	}
	var dumps []jitDump
	if err := json.Unmarshal(out, &dumps); err != nil {
		t.Fatal(err)
	}
	for _, c := range dumps[0].Codes {
		checkInjected(t, filepath.Join(at, fmt.Sprintf("jitted-%d-%d.so", p.PID, c.Index)), &c)
	}
	if t.Logf("perf has made files of %d pieces", len(dumps[0].Codes)); len(dumps[0].Codes) < 5 {
		t.Error("too few pieces")
	}
}

// checkInjected compares the ELF file that perf has made of a piece of code with it.
func checkInjected(t *testing.T, path string, c *jitLoad) {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Error(err)
		return
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		t.Error(err)
	}
	named := func(s elf.Symbol) bool { return s.Name == c.Name && s.Size == uint64(len(c.Bytes)/2) }
	text, err := f.Section(".text").Data()
	if err != nil || hex.EncodeToString(text) != c.Bytes || !slices.ContainsFunc(symbols, named) {
		t.Errorf("%s: %v, code of %d bytes, symbols %v, want %s of %d", path, err, len(text), symbols, c.Name,
			len(c.Bytes)/2)
	}
}
