package page

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/pprofx"
)

// sourceLines is the text of a file with harm in its second line.
const sourceLines = "function open() {\n\treturn 1 // " + hostile + "\n}\n"

// sources makes files of several kinds, and a recording with samples in all of them.
func sources(t *testing.T) (dir string, recording *pprofx.Snapshot) {
	t.Helper()
	dir = t.TempDir()
	must := func(errs ...error) {
		t.Helper()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
	}
	must(os.Chmod(filepath.Dir(dir), 0o755), os.Chmod(dir, 0o755))
	must(os.WriteFile(dir+"/open.js", []byte(sourceLines), 0o644))
	must(os.WriteFile(dir+"/harm.js", []byte(sourceLines), 0o644),
		os.WriteFile(dir+"/secret.js", []byte("const password = 42\n"), 0o600), unix.Mkfifo(dir+"/pipe.js", 0o666))
	begun := time.Now().Add(time.Second).UnixNano()
	b, err := pprofx.NewBuilder(begun, period)
	must(err)
	at := begun
	for _, s := range []struct {
		function, file string
		line, samples  int
	}{
		{"open", "file://" + dir + "/open.js", 1, 3}, {"open", "file://" + dir + "/open.js", 2, 5},
		{"harm", dir + "/harm.js", 2, 2}, {"secret", dir + "/secret.js", 1, 1}, {"pipe", dir + "/pipe.js", 1, 1},
		{"fs", "node:fs", 7, 1}, {"kernel", "/proc/version", 1, 1}, {"gone", "/nowhere/gone.js", 1, 1},
	} {
		for range s.samples {
			at += period
			b.Add(&pprofx.Sample{Time: at, PID: 1, TID: 1, Stop: pprofx.StopRoot, State: pprofx.StateJS,
				Stack: []*pprofx.Frame{{Function: s.function, File: s.file, Line: s.line}}})
		}
	}
	return dir, b.Cut(at + 1)
}

// TestSource: the page has source lines with their samples, only of files that the user who called may read.
func TestSource(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Fatal("needs root: it is who calls")
	}
	hotspan := filepath.Join(commands(t), "hotspan")
	dir, recording := sources(t)
	file, html := writeOTLP(t, recording), filepath.Join(dir, "x.html")
	report := func(env ...string) (string, error) {
		c := exec.Command(hotspan, "report", "--source", "-o", html, file)
		c.Env = append(os.Environ(), env...)
		out, err := c.CombinedOutput()
		return string(out), err
	}
	if out, err := report("SUDO_UID=", "SUDO_GID="); err == nil || !strings.Contains(out, "not by sudo") {
		t.Errorf("as root: %v, %s", err, out)
	}
	out, err := report("SUDO_UID=12345", "SUDO_GID=12345")
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var page struct {
		Lines   map[string][][]string
		Said    string
		Hostile bool
		Wrong   []string
	}
	run(t, &page, "source.mjs", html)
	shown := "    return 1 // " + strings.NewReplacer("\u202e", "\ufffd", "\x1b", "\ufffd").Replace(hostile)
	want := map[string][][]string{
		"open": {{"1", "3", "function open() {"}, {"2", "5", shown}, {"3", "", "}"}, {"4", "", ""}},
		"harm": {{"1", "", "function open() {"}, {"2", "2", shown}, {"3", "", "}"}, {"4", "", ""}},
	}
	if diff := gocmp.Diff(want, page.Lines); diff != "" || page.Hostile || len(page.Wrong) > 0 {
		t.Errorf("hostile %v, wrong %q: %s", page.Hostile, page.Wrong, diff)
	}
	for _, refused := range []string{"not permitted", "not a regular file", "not on this machine", "kernel's own"} {
		if !strings.Contains(page.Said, refused) || !strings.Contains(out, refused) {
			t.Errorf("%q is neither in %q nor in %q", refused, page.Said, out)
		}
	}
	late := time.Now().Add(2 * time.Second)
	time.Sleep(time.Until(late)) // the change is after the beginning of the recording
	if err := os.WriteFile(dir+"/open.js", []byte("another();\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err = report("SUDO_UID=12345", "SUDO_GID=12345")
	if err != nil || !strings.Contains(out, "are not: 1, changed since") {
		t.Errorf("%v: %s", err, out)
	}
}
