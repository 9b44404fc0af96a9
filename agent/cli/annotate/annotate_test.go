package annotate_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/agent/cli"
	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/agent/internal/jitdump"
)

// annotatable writes what record --jit-code does: push rbp; idiv ecx; add eax, edx; ret, of f with g inlined.
func annotatable(t *testing.T, samples string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	var b bytes.Buffer
	w, err := jitdump.NewWriter(&b, jitdump.Header{Machine: jitdump.X86_64, PID: 7})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Load(&jitdump.Code{Address: 0x1000, Index: 1, Name: "f", Bytes: []byte("\x55\xf7\xf9\x01\xd0\xc3"),
		Lines: []jitdump.Line{{Address: 0x1000, File: "/app/a.js", Line: 3, Column: 1},
			{Address: 0x1001, File: "/app/b.js", Line: 9, Column: 5}}}); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"jit-7.dump": b.String(), "samples-7.jsonl": samples} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const annotated = `{"code":1,"function":"f","kind":"js","tier":"turbofan","address":4096,"size":6,"samples":4,` +
	`"points":[{"offset":1,"samples":3,"frames":[{"function":"g","file":"/app/b.js","line":9,"column":5},` +
	`{"function":"f","file":"/app/a.js","line":4,"column":2}]},` +
	`{"offset":5,"samples":1,"frames":[{"function":"f","file":"/app/a.js","line":5,"column":1}]}],` +
	`"texts":[{"file":"/app/b.js","line":9,"text":"\treturn a\u001b[2J / b;"}]}`

// TestAnnotate: each sample is at its instruction, under what is inlined there.
func TestAnnotate(t *testing.T) {
	dir := annotatable(t, annotated)
	piece := "app/a.js:3  turbofan, 6 bytes, pid 7, code 1\n"
	code := `4 samples, 100.0 % of the 4 in machine code

                   app/a.js:3:1
                   +0x0     push rbp
                   g app/b.js:9:5 in f app/a.js:4:2  return a [2J / b;
       3  75.0 % > +0x1     idiv ecx
                   +0x3     add eax, edx
                   f app/a.js:5:1
       1  25.0 %   +0x5     ret

`
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "4 samples in machine code\n\n       4  100.0 %  " + terminal.Fit("f", 34) + "  " + piece},
		{[]string{"f"}, "f  " + piece + code},
		{[]string{"g"}, "f  " + piece + strings.Replace(code, "code\n", "code\n3 of them in g, which is inlined\n", 1)},
	} {
		var out, said bytes.Buffer
		exit := cli.Main(append([]string{"annotate", dir}, c.args...), &out, &said)
		if diff := cmp.Diff(c.want, out.String()); exit != 0 || diff != "" {
			t.Errorf("%q: exit code %d, %s want(-) got(+):\n%s", c.args, exit, said.String(), diff)
		}
	}
}

// TestAnnotateFile: what is no page is refused, and a page that cannot be written whole does not stay.
func TestAnnotateFile(t *testing.T) {
	dir := annotatable(t, annotated)
	full := filepath.Join(t.TempDir(), "x.html")
	if err := os.Symlink("/dev/full", full); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-o", "x.pb.gz"}, "a page is a FILE.html"},
		{[]string{"-o", "x.html", "--json"}, "--json"},
		{[]string{"-o", full}, "no space left"},
	} {
		var out, said bytes.Buffer
		if exit := cli.Main(append([]string{"annotate", dir}, c.args...), &out, &said); exit == 0 ||
			!strings.Contains(said.String(), c.want) {
			t.Errorf("%q: exit code %d, %s", c.args, exit, said.String())
		}
	}
	if left, _ := filepath.Glob(filepath.Dir(full) + "/*.part"); len(left) > 0 {
		t.Errorf("%q stay", left)
	}
}

// TestAnnotateOther: of a file that another program wrote, nothing that it has reaches the terminal as it is.
func TestAnnotateOther(t *testing.T) {
	b, err := os.ReadFile("../../internal/jitdump/testdata/node-24.dump")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "jit-1.dump")
	if err := os.WriteFile(file, bytes.Replace(b, []byte("JS:*hot "), []byte("JS:*\x1b[2m"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{file}, {"-a", file, "JS:*\x1b[2m/tmp/jit-w/a.js:2:13"}} {
		var out, said bytes.Buffer
		if exit := cli.Main(append([]string{"annotate"}, args...), &out, &said); exit != 0 {
			t.Errorf("%q: exit code %d, %s", args, exit, said.String())
		}
		if text := out.String(); strings.ContainsRune(text, 0x1b) || !strings.Contains(text, "JS:* [2m/tmp/") {
			t.Errorf("%q: %q", args, text)
		}
	}
}
