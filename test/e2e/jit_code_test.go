package e2e

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/truth/judge"
	"github.com/hotspan/hotspan/test/truth/trial"
)

// jitDump is a jitdump file as testdata/jitdump.js reads it.
type jitDump struct {
	PID    int
	Closed bool
	Codes  []jitLoad
}

type jitLoad struct {
	Time, Address uint64 `json:",string"`
	Index         int
	Name, Bytes   string
	Lines         []jitLine
}

type jitLine struct {
	Offset, Line, Column int
	File                 string
}

// recordJITCode records jit_code.js, which writes a jitdump itself, and returns the directory with the machine code,
// that file, the samples, and what hotspan said.
func recordJITCode(t *testing.T, node string) (dir, own string, samples []judge.Sample, said string) {
	t.Helper()
	p, at := startJITCode(t, node)
	dir = filepath.Join(t.TempDir(), "code")
	out := filepath.Join(at, "out.jsonl")
	r := run(t, "record", "-p", strconv.Itoa(p.PID), "-F", "499", "-d", "6s", "-o", out, "--jit-code", dir)
	if t.Logf("%s", r.Stderr); r.Code != 0 {
		t.Fatalf("ended with %d", r.Code)
	}
	p.truth(t) // node has written all of its file
	return dir, filepath.Join(at, fmt.Sprintf("jit-%d.dump", p.PID)), readSamples(t, out), r.Stderr
}

// startJITCode starts jit_code.js, which writes a jitdump into a directory, and waits until most is compiled.
func startJITCode(t *testing.T, node string) (p program, at string) {
	t.Helper()
	script, err := filepath.Abs("../programs/jit_code.js")
	if err != nil {
		t.Fatal(err)
	}
	at = t.TempDir()
	log, stop := filepath.Join(at, "truth.jsonl"), filepath.Join(at, "stop")
	command := exec.Command(node, "--perf-prof", script, log)
	command.Dir = at // node writes the file there
	command.Env = append(os.Environ(), "STOP="+stop)
	started, err := trial.Begin(command)
	p = owned(t, started, err)
	p.Log, p.End = log, stop
	p.await(t)
	time.Sleep(2 * time.Second)
	return p, at
}

// TestJITCode: the machine code that record copies is that which node itself writes, byte for byte, with its names and
// its lines; and each sample in it counts at one instruction.
func TestJITCode(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, node string) {
		dir, own, samples, said := recordJITCode(t, node)
		file := filepath.Join(dir, filepath.Base(own))
		out, err := exec.Command(node, "testdata/jitdump.js", file, own).Output()
		if err != nil {
			t.Fatal(err)
		}
		var dumps [2]jitDump
		if err := json.Unmarshal(out, &dumps); err != nil {
			t.Fatal(err)
		}
		ours, theirs := dumps[0], dumps[1]
		if !ours.Closed || ours.PID != theirs.PID {
			t.Errorf("closed: %v; of process %d, want %d", ours.Closed, ours.PID, theirs.PID)
		}
		lines, kinds := 0, map[string]int{}
		last := 0
		for _, c := range ours.Codes {
			if c.Index <= last { // between them is code of files
				t.Errorf("code %d after %d", c.Index, last)
			}
			last = c.Index
			n, kind := compareLoad(t, &c, theirs.Codes)
			lines += n
			kinds[kind]++
		}
		t.Logf("%d lines compared, pieces of code: %v", lines, kinds)
		if lines < 40 || kinds["TurboFan"] == 0 || kinds["RegExp"] == 0 || kinds["wasm"] == 0 {
			t.Error("too few lines, or a kind of code is missing")
		}
		comparePerfMap(t, filepath.Join(dir, fmt.Sprintf("perf-%d.map", ours.PID)), ours.Codes)
		compareTexts(t, filepath.Join(dir, fmt.Sprintf("samples-%d.jsonl", ours.PID)))
		compareCounts(t, samples, said)
		checkDivision(t, dir, ours.PID, "wasm-function[0]")
	})
}

var ownName = regexp.MustCompile(`^(?:JS|LazyCompile|Function):(o?[*+^~]'?)?(.*?) ?([^ ]*:\d+)?$`)

// jump is what each slot of WebAssembly's table of jumps begins with, in hex. (src/wasm/jump-table-assembler.cc)
const jump = "e9"

// compareLoad compares a piece of code with the last that node wrote of its place until then. It returns how many lines
// were compared, and its kind.
func compareLoad(t *testing.T, c *jitLoad, theirs []jitLoad) (lines int, kind string) {
	t.Helper()
	var own *jitLoad
	for i := range theirs {
		if theirs[i].Address == c.Address && theirs[i].Time <= c.Time {
			own = &theirs[i]
		}
	}
	if own == nil && c.Name == "[wasm]" && strings.HasPrefix(c.Bytes, jump) {
		return 0, "jumps" // V8's table of them, which it does not write
	}
	if own == nil {
		t.Errorf("%s at 0x%x: node has no code there", c.Name, c.Address)
		return 0, ""
	}
	if !sameCode(t, c.Bytes, own.Bytes) {
		t.Errorf("%s: %d bytes, not those of %s, %d bytes", c.Name, len(c.Bytes)/2, own.Name, len(own.Bytes)/2)
	}
	if pattern, ok := strings.CutPrefix(own.Name, "RegExp"); ok {
		inside := strings.TrimSuffix(strings.TrimPrefix(c.Name, "[regexp "), "]")
		if pattern != ":"+inside && !strings.Contains(pattern, "'"+inside+"'") { // until V8 12, and since
			t.Errorf("%s, want that of %s", c.Name, own.Name)
		}
		return 0, "RegExp"
	}
	if strings.HasPrefix(c.Name, "wasm-function[") {
		if !strings.Contains(own.Name, c.Name+"-") {
			t.Errorf("%s, want %s", c.Name, own.Name)
		}
		return 0, "wasm"
	}
	if stub, ok := strings.CutPrefix(own.Name, "Stub:"); ok {
		if want := "[js to wasm]"; c.Name != "[jit]" && (c.Name != want || !strings.HasPrefix(stub, "js-to-wasm:")) {
			t.Errorf("%s, want that of %s", c.Name, own.Name)
		}
		return 0, "Stub"
	}
	m := ownName.FindStringSubmatch(own.Name)
	if m == nil || m[2] != c.Name && (m[2] != "" && m[2] != "anonymous" || c.Name != "(anonymous)") {
		t.Errorf("%s, want %s (%q)", c.Name, own.Name, m)
		return 0, ""
	}
	if !strings.Contains(m[1], "*") {
		return 0, m[1] // of Sparkplug's, node has offsets of the bytecode
	}
	return compareJITLines(t, c, own), "TurboFan"
}

// sameCode compares code with what it was when it was made. Since then a collection may have moved objects whose
// addresses it loads into registers (REX.W B8+r): it writes the new ones into the code.
func sameCode(t *testing.T, now, then string) bool {
	t.Helper()
	a, err1 := hex.DecodeString(now)
	b, err2 := hex.DecodeString(then)
	if err1 != nil || err2 != nil || len(a) != len(b) {
		return false
	}
	for i := range a {
		address := false
		for from := max(0, i-9); from <= i-2; from++ {
			address = address || a[from]&0xf8 == 0x48 && a[from+1]&0xf8 == 0xb8
		}
		if a[i] != b[i] && !address {
			t.Logf("differs at %d: %x, was %x", i, a[max(0, i-10):min(len(a), i+10)], b[max(0, i-10):min(len(b), i+10)])
			return false
		}
	}
	return true
}

// compareJITLines compares the lines at those addresses for which node has one. It adds the size of an ELF header to
// each address (V8: src/diagnostics/perf-jit.cc), and has lines of the code's own script only.
func compareJITLines(t *testing.T, c, own *jitLoad) (n int) {
	t.Helper()
	const elfHeader = 0x40
	last := map[int]jitLine{}
	for _, l := range own.Lines {
		last[l.Offset-elfHeader] = l
	}
	for offset, want := range last {
		var got jitLine
		for _, l := range c.Lines {
			if l.Offset <= offset {
				got = l
			}
		}
		if !strings.HasSuffix(got.File, "jit_code.js") {
			continue
		}
		if n++; got.Line != want.Line || got.Column != want.Column {
			t.Errorf("%s+%d: %d:%d, want %d:%d", c.Name, offset, got.Line, got.Column, want.Line, want.Column)
		}
	}
	return n
}

// comparePerfMap: each line of perf's map is a piece of the dump, and no two overlap.
func comparePerfMap(t *testing.T, file string, codes []jitLoad) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, c := range codes {
		known[fmt.Sprintf("%x %x %s", c.Address, len(c.Bytes)/2, c.Name)] = true
	}
	end, lines := uint64(0), strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for _, line := range lines {
		var start, size uint64
		if _, err := fmt.Sscanf(line, "%x %x ", &start, &size); err != nil || !known[line] || start < end {
			t.Errorf("%q: %v, in the dump: %v, the line before ends at %x", line, err, known[line], end)
		}
		end = start + size
	}
	if last := codes[len(codes)-1]; !strings.Contains(string(text), fmt.Sprintf("%x ", last.Address)) {
		t.Errorf("the last piece, %s, is missing", last.Name)
	}
}

// compareTexts: the lines of the source are those of the program's file.
func compareTexts(t *testing.T, file string) {
	t.Helper()
	program, err1 := os.ReadFile("../programs/jit_code.js")
	text, err2 := os.ReadFile(file)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	lines, compared := strings.Split(string(program), "\n"), 0
	for d := json.NewDecoder(bytes.NewReader(text)); d.More(); {
		var piece struct {
			Texts []struct {
				File, Text string
				Line       int
			}
		}
		if err := d.Decode(&piece); err != nil {
			t.Fatal(err)
		}
		for _, l := range piece.Texts {
			if !strings.HasSuffix(l.File, "/jit_code.js") {
				continue
			}
			if compared++; l.Line > len(lines) || l.Text != lines[l.Line-1] {
				t.Errorf("line %d is %q", l.Line, l.Text)
			}
		}
	}
	if compared < 5 {
		t.Errorf("only %d lines of the source", compared)
	}
}

// compareCounts: the samples at instructions are those that were taken outside of the kernel.
func compareCounts(t *testing.T, samples []judge.Sample, said string) {
	t.Helper()
	want := 0
	for _, s := range samples {
		if s.Stack[0].Kind != "kernel" {
			want++
		}
	}
	counted := regexp.MustCompile(`(\d+) samples at their instructions(?: \((?:in code without symbols (\d+))?` +
		`(?:, )?(?:in no copied code (\d+))?\))?`)
	m := counted.FindStringSubmatch(said)
	if m == nil {
		t.Fatal("nothing is said of machine code")
	}
	at, _ := strconv.Atoi(m[1])
	unnamed, _ := strconv.Atoi("0" + m[2])
	lost, _ := strconv.Atoi("0" + m[3])
	if at+unnamed+lost != want || (unnamed+lost)*50 > want {
		t.Errorf("%d samples at instructions, %d without symbols and %d lost, want %d", at, unnamed, lost, want)
	}
}

// quotientMask is what the loop of programs/jit_code.js turns over in each quotient before it divides again.
const quotientMask = ", 0x7fffffff"

// checkDivision: of a function with a loop in which each round waits for a division, most samples are at it, or behind
// it or behind what waits for the quotient, which is an exclusive or with quotientMask. A processor is interrupted
// between two instructions: where one begins.
func checkDivision(t *testing.T, dir string, pid int, function string) {
	t.Helper()
	out, err := exec.Command(hotspan, "annotate", "--json", dir, function).Output()
	if err != nil {
		t.Fatal(err)
	}
	var pieces []struct {
		Code, Samples int
		Instructions  []struct {
			Text            string
			Offset, Samples int
		}
	}
	if err := json.Unmarshal(out, &pieces); err != nil || len(pieces) == 0 {
		t.Fatalf("%d pieces: %v", len(pieces), err)
	}
	divisions, all, begins := 0, 0, map[int]bool{}
	hottest := pieces[0].Instructions
	for i, in := range hottest {
		all += in.Samples
		begins[in.Offset] = true
		if strings.HasPrefix(in.Text, "div ") || i > 0 && (strings.HasPrefix(hottest[i-1].Text, "div ") ||
			strings.HasSuffix(hottest[i-1].Text, quotientMask)) {
			divisions += in.Samples
		}
	}
	t.Logf("of %d samples of %s %d are at divisions", all, function, divisions)
	if all < 50 || all != pieces[0].Samples || divisions*4 < all*3 {
		t.Errorf("of %d samples, %d at instructions, only %d are at divisions: %+v", pieces[0].Samples, all, divisions,
			hottest)
	}
	text, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("samples-%d.jsonl", pid)))
	if err != nil {
		t.Fatal(err)
	}
	for d := json.NewDecoder(bytes.NewReader(text)); d.More(); {
		var piece struct {
			Code   int
			Points []struct{ Offset int }
		}
		if err := d.Decode(&piece); err != nil {
			t.Fatal(err)
		}
		for _, at := range piece.Points {
			if piece.Code == pieces[0].Code && !begins[at.Offset] {
				t.Errorf("samples at %d, where no instruction begins", at.Offset)
			}
		}
	}
}
