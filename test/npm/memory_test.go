package npm

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/nodes/live"
)

// checked is the add-on, built so that a checker of memory sees each record, and a program that uses it.
type checked struct {
	node    string
	program []string
}

// newChecked builds the add-on with more flags of the compiler.
func newChecked(t *testing.T, flags string) checked {
	t.Helper()
	app, node, dir := installedApp(t), node{"24.21.0", true}.path(t), t.TempDir()
	copied := exec.Command("cp", "-r", filepath.Join(app, "node_modules/hotspan"), dir)
	if out, err := copied.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	compiler := filepath.Join(dir, "compiler")
	script := "#!/bin/sh\nexec g++ \"$@\" -g -Wl,--no-as-needed -DHOTSPAN_RECORD_A_BLOCK " + flags + "\n"
	if err := os.WriteFile(compiler, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	build := exec.Command(node, filepath.Join(dir, "hotspan/build.js"))
	build.Env = append(os.Environ(), "CXX="+compiler)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	jobs := live.Addon(t, node, "../e2e/testdata/jobs.cc", "-I../../nodeaddon/include")
	return checked{node, []string{"--expose-gc", "testdata/lifetimes.js", filepath.Join(dir, "hotspan"), jobs}}
}

// seldom are tests of the add-on's memory, which changes seldom: one is run for a commit that draws.
var seldom = []string{"TestValgrind", "TestAddressSanitizer", "TestNoMemory"}

// TestNoMemory: a context for whose record there is no memory has none, which is counted. It can be changed as others.
func TestNoMemory(t *testing.T) {
	t.Parallel()
	draw.Quarter(t, seldom)
	header, err := filepath.Abs("testdata/no_memory.h")
	if err != nil {
		t.Fatal(err)
	}
	c := newChecked(t, "-include "+header)
	cmd := exec.Command(c.node, "testdata/no_memory.js", c.program[2])
	var failed strings.Builder
	cmd.Stderr = &failed
	out, err := cmd.Output()
	want := strings.Count(failed.String(), "none\n")
	if got := strings.TrimSpace(string(out)); err != nil || want < 4 || got != strconv.Itoa(want) {
		t.Errorf("%v: counted %q, want %d: %s", err, got, want, failed.String())
	}
}

// TestAddressSanitizer: the add-on reads and writes no memory that is not its own, and does nothing undefined.
func TestAddressSanitizer(t *testing.T) {
	t.Parallel()
	draw.Quarter(t, seldom)
	c := newChecked(t, "-fsanitize=address,undefined -fno-sanitize-recover=undefined")
	var libraries []string
	for _, name := range []string{"libasan.so", "libubsan.so"} {
		path, err := exec.Command("g++", "-print-file-name="+name).Output()
		if err != nil {
			t.Fatal(err)
		}
		libraries = append(libraries, strings.TrimSpace(string(path)))
	}
	cmd := exec.Command(c.node, c.program...)
	// V8 keeps addresses where nothing looks for leaks.
	cmd.Env = append(os.Environ(), "LD_PRELOAD="+strings.Join(libraries, " "), "ASAN_OPTIONS=detect_leaks=0")
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "done\n" {
		t.Errorf("%v: %s", err, out)
	}
}

// TestValgrind: memcheck finds no error that the add-on is part of, and nothing that it has lost. (It finds some of V8,
// which looks at stacks as they are.)
func TestValgrind(t *testing.T) {
	t.Parallel()
	draw.Quarter(t, seldom)
	c := newChecked(t, "")
	log := filepath.Join(t.TempDir(), "log")
	arguments := append([]string{"--smc-check=all-non-file", "--leak-check=full", "--show-leak-kinds=definite",
		"--num-callers=30", "--log-file=" + log, c.node, "--single-threaded"}, c.program...)
	if out, err := exec.Command("valgrind", arguments...).CombinedOutput(); err != nil || string(out) != "done\n" {
		t.Fatalf("%v: %s", err, out)
	}
	b, err := os.ReadFile(log)
	if err != nil || !regexp.MustCompile(`ERROR SUMMARY: \d+ errors`).Match(b) {
		t.Fatalf("%v: %s", err, b)
	}
	for _, found := range regexp.MustCompile(`(?m)^==\d+== \n`).Split(string(b), -1) {
		if strings.Contains(found, "hotspan::") || regexp.MustCompile(`/\d+\.node\)`).MatchString(found) {
			t.Error(found)
		}
	}
}
