package inspect

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/nodes/live"
)

// TestStack: the stacks of a core are those that the program wrote down before it died, whatever it died of.
func TestStack(t *testing.T) {
	live.NeedCores(t)
	for _, v := range versions() {
		for how, signals := range map[string][]string{
			"throw": {"SIGTRAP", "SIGABRT", "SIGILL"}, "abort": {"SIGABRT"}, "segv": {"SIGSEGV"},
			"oom": {"SIGABRT", "SIGTRAP"},
		} {
			t.Run(v.Version+"/"+how, func(t *testing.T) {
				d := die(t, v, how)
				var a answer
				if err := inspect(&a, d.core, "stack", "--label", "tenant=tenant", "--label", "user=user"); err != nil {
					t.Fatal(err)
				}
				if a.Node != v.Version || a.Missing != 0 || len(a.NotUsed) > 0 || !slices.Contains(signals, a.Signal) ||
					a.Fault != "" {
					t.Errorf("%+v", a)
				}
				check(t, v, &d, &a, how != "oom")
			})
		}
	}
}

// TestStackOfGcore: so do those of a core that gdb has written of a process that lives on.
func TestStackOfGcore(t *testing.T) {
	draw.Quarter(t, seldom)
	for _, v := range versions() {
		t.Run(v.Version, func(t *testing.T) {
			d := gcore(t, v)
			var a answer
			if err := inspect(&a, d.core, "stack", "--label", "tenant=tenant"); err != nil {
				t.Fatal(err)
			}
			if a.Node != v.Version || a.Missing != 0 || len(a.NotUsed) > 0 || a.Fault != "" {
				t.Errorf("%+v", a)
			}
			check(t, v, &d, &a, true)
		})
	}
}

// TestStackOfLive: so do those of the process itself, which is not stopped.
func TestStackOfLive(t *testing.T) {
	for _, v := range versions() {
		t.Run(v.Version, func(t *testing.T) {
			dir := t.TempDir()
			p := live.Start(t, v.Version, arguments(t, v, dir, "wait")...)
			defer syscall.Kill(p.PID, syscall.SIGKILL)
			d := dead{node: p.Node}
			d.read(t, dir)
			var a answer
			if err := inspect(&a, "-p", strconv.Itoa(p.PID), "stack", "--label", "tenant=tenant"); err != nil {
				t.Fatal(err)
			}
			check(t, v, &d, &a, true)
		})
	}
}

// TestStripped: an executable without symbols, given by its path, does too; what only symbols name has no name.
func TestStripped(t *testing.T) {
	live.NeedCores(t)
	v := versions()[len(versions())-1]
	d := die(t, v, "abort")
	stripped := filepath.Join(t.TempDir(), "node")
	if text, err := exec.Command("strip", "-o", stripped, d.node).CombinedOutput(); err != nil {
		t.Fatalf("strip: %v: %s", err, text)
	}
	var a answer
	if err := inspect(&a, d.core, stripped, "stack", "--label", "tenant=tenant"); err != nil {
		t.Fatal(err)
	}
	check(t, v, &d, &a, true)
}

// TestWithoutLibrary: where the C library of a core is not there any more, as where it is from a container, JavaScript
// has its labels and arguments. Which native frames it calls is not known.
func TestWithoutLibrary(t *testing.T) {
	live.NeedCores(t)
	for _, v := range versions() {
		t.Run(v.Version, func(t *testing.T) {
			dir := t.TempDir()
			library := filepath.Join(dir, "libc.so.6")
			if text, err := exec.Command("sh", "-c", `cp -L "$(ldd "$0" | awk '$1 == "libc.so.6" {print $3}')" "$1"`,
				live.Binary(t, v.Version), library).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, text)
			}
			t.Setenv("LD_LIBRARY_PATH", dir)
			d := die(t, v, "abort")
			var a answer
			if err := errors.Join(os.Remove(library),
				inspect(&a, d.core, "stack", "--label", "tenant=tenant", "--label", "user=user")); err != nil {
				t.Fatal(err)
			}
			if len(a.NotUsed) != 1 || !strings.Contains(a.NotUsed[0], library) {
				t.Errorf("not used: %q", a.NotUsed)
			}
			checkOwn(t, v, &d, &a, true)
		})
	}
}

// TestNotThis: what is no core of Node.js, or of another build, is a sentence.
func TestNotThis(t *testing.T) {
	live.NeedCores(t)
	list := versions()
	d := die(t, list[0], "abort")
	other := live.Binary(t, list[len(list)-1].Version)
	text := filepath.Join(t.TempDir(), "text")
	packed, lz4 := filepath.Join(t.TempDir(), "core.zst"), filepath.Join(t.TempDir(), "core.lz4")
	if err := errors.Join(os.WriteFile(text, []byte("no core at all, but text that is long enough for a head"), 0o600),
		os.WriteFile(packed, []byte("\x28\xb5\x2f\xfd...."), 0o600),
		os.WriteFile(lz4, []byte("\x04\x22\x4d\x18...."), 0o600)); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		": this is not the file that was mapped: that has the build id ": {d.core, other, "stack"},
		"no core file of x86-64 Linux, but ":                             {d.node, "stack"},
		"open core: it is no core file: bad magic number":                {text, "stack"},
		"decompress by zstd: ":                                           {packed, "stack"},
		"it is compressed: lz4 -d < core.lz4 > core":                     {lz4, "stack"},
		"no such file or directory":                                      {text + "x", "stack"},
		"not a regular file":                                             {t.TempDir(), "stack"},
		"there is no such process":                                       {"-p", "4194304", "stack"},
		"either a core or -p PID":                                        {"-p", "1", "core", "stack"},
		"what shall be shown?":                                           {d.core},
	} {
		var a answer
		if err := inspect(&a, args...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %s", args, err, want)
		}
	}
}

// TestWithoutExecutable: where the executable is not there any more, or is another one by now, that is said, and how to
// give it. A core of a program that is not Node.js has no such hint.
func TestWithoutExecutable(t *testing.T) {
	live.NeedCores(t)
	list := versions()
	node := live.Binary(t, list[len(list)-1].Version)
	moved := filepath.Join(t.TempDir(), "node")
	copyFile := func(from string) {
		t.Helper()
		if text, err := exec.Command("cp", from, moved).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
	}
	copyFile(node)
	c := live.CoreOf(t, moved, "--abort-on-uncaught-exception", "-e", "throw 1")
	const hint = "\nif its executable is elsewhere: hotspan inspect CORE NODE VERB"
	check := func(core, want string, hinted bool) {
		t.Helper()
		for _, verb := range []string{"stack", "objects"} {
			var a json.RawMessage
			err := inspect(&a, core, verb)
			if err == nil || !strings.Contains(err.Error(), want) || strings.HasSuffix(err.Error(), hint) != hinted {
				t.Errorf("%s: %v, want %s, hint %v", verb, err, want, hinted)
			}
		}
	}
	check(live.CoreOf(t, "/bin/bash", "-c", "kill -SEGV $$"), ": not a Node.js process: ", false)
	if err := os.Remove(moved); err != nil {
		t.Fatal(err)
	}
	check(c, ": cannot tell whether it is of a Node.js process: open "+moved+": no such file or directory", true)
	copyFile("/bin/ls")
	check(c, moved+": this is not the file that was mapped: that has the build id ", true)
	var a answer
	if err := inspect(&a, c, node, "stack"); err != nil || len(a.Threads) == 0 {
		t.Errorf("with the executable: %v, %d threads", err, len(a.Threads))
	}
}

// TestTruncated: of a core that was cut off, what is there is shown, and what is missing is said.
func TestTruncated(t *testing.T) {
	live.NeedCores(t)
	list := versions()
	d := die(t, list[len(list)-1], "abort")
	info, err := os.Stat(d.core)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(d.core, info.Size()/10*9); err != nil { // half of it may lack what tells the process
		t.Fatal(err)
	}
	var a answer
	if err := inspect(&a, d.core, "stack"); err != nil {
		t.Fatal(err)
	}
	if a.Missing == 0 || len(a.Threads) < 6 {
		t.Errorf("%d bytes missing, %d threads", a.Missing, len(a.Threads))
	}
	for _, th := range a.Threads { // a file that is not used, for want of its first page, is named all the same
		if th.Stack[0].Kind != "native" {
			t.Errorf("thread %d: %+v", th.TID, th.Stack[0])
		}
	}
	for _, verb := range []string{"objects", "requests"} { // "nothing is waited for" is not known
		var warned strings.Builder
		cmd := exec.Command(hotspan, "inspect", d.core, verb)
		cmd.Stderr = &warned
		if err := cmd.Run(); err != nil || !strings.Contains(warned.String(), "the core was cut off") {
			t.Errorf("%s: %v: %s", verb, err, &warned)
		}
	}
	checkMissing(t, d.core, a.Missing)
}

// checkMissing: in JSON each answer of a core says how many bytes it lacks.
func checkMissing(t *testing.T, core string, want uint64) {
	t.Helper()
	f := addressesOf(t, core, "Function", 1)[0]
	for _, args := range [][]string{{"objects"}, {"objects", "Function"}, {"requests"}, {"print", f}, {"whatis", f},
		{"function", f}, {"refs", f}, {"path", f}, {"await", addressesOf(t, core, "Promise", 1)[0]}} {
		var a json.RawMessage
		if err := inspect(&a, append([]string{core}, args...)...); err != nil {
			t.Fatal(args, err)
		}
		if a[0] == '[' {
			a = a[1 : len(a)-1]
		}
		var said struct{ Missing uint64 }
		if err := json.Unmarshal(a, &said); err != nil || said.Missing != want {
			t.Errorf("%v: %v, %d bytes missing, want %d", args, err, said.Missing, want)
		}
	}
}

// TestCompressed: of a compressed core is shown what is shown of the core, as far as it goes.
func TestCompressed(t *testing.T) {
	draw.Quarter(t, seldom)
	live.NeedCores(t)
	list := versions()
	v := list[len(list)-1]
	d := die(t, v, "abort")
	for _, by := range []func(io.Writer) io.WriteCloser{
		func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
		func(w io.Writer) io.WriteCloser {
			e, err := zstd.NewWriter(w)
			if err != nil {
				t.Fatal(err)
			}
			return e
		},
	} {
		packed := compress(t, d.core, by)
		var a answer
		if err := inspect(&a, packed, "stack", "--label", "tenant=tenant", "--label", "user=user"); err != nil {
			t.Fatal(err)
		}
		check(t, v, &d, &a, true)
		info, err := os.Stat(packed)
		if err := errors.Join(err, os.Truncate(packed, info.Size()/2)); err != nil {
			t.Fatal(err)
		}
		a = answer{}
		if err := inspect(&a, packed, "stack"); err == nil && a.Missing == 0 ||
			err != nil && !strings.Contains(err.Error(), "cut off") {
			t.Errorf("half of it: %v, %d bytes missing", err, a.Missing)
		}
	}
}

// compress writes a core compressed, and returns the name of the file.
func compress(t *testing.T, name string, by func(io.Writer) io.WriteCloser) string {
	t.Helper()
	from, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	to, err := os.Create(filepath.Join(t.TempDir(), "core.packed"))
	if err != nil {
		t.Fatal(err)
	}
	w := by(to)
	_, err = io.Copy(w, from)
	if err := errors.Join(err, w.Close(), to.Close()); err != nil {
		t.Fatal(err)
	}
	return to.Name()
}

// check compares the threads of the program with what it wrote down.
func check(t *testing.T, v nodes.Version, d *dead, a *answer, labels bool) {
	t.Helper()
	for _, th := range a.Threads {
		if !begins(&th) && (th.Stop != "root" || len(th.Stack) < 2) {
			t.Errorf("thread %d: %s: %+v", th.TID, th.Stop, th.Stack)
		}
	}
	checkOwn(t, v, d, a, labels)
}

// checkOwn compares the JavaScript of the threads, and what belongs to it.
func checkOwn(t *testing.T, v nodes.Version, d *dead, a *answer, labels bool) {
	t.Helper()
	inRequest := 0
	for i, th := range a.Threads {
		own := javaScript(&th)
		if len(own) == 0 {
			continue
		}
		want, tenant := d.main, "acme"
		if th.TID != a.PID {
			want, tenant = d.worker, "globex"
		}
		if inRequest++; th.TID == a.PID && i != 0 {
			t.Errorf("the thread that died is number %d", i)
		}
		compare(t, want, own)
		if labels && th.Labels["tenant"] != tenant {
			t.Errorf("thread %d has the labels %v, not those of %s", th.TID, th.Labels, tenant)
		}
		checkTiers(t, v, &th)
		checkArguments(t, &th)
	}
	if inRequest != 2 || len(a.Threads) < 6 {
		t.Errorf("%d of %d threads run JavaScript, want 2", inRequest, len(a.Threads))
	}
}

// begins reports whether a thread has only just been made: glibc has no unwind rule for its first instructions, in
// clone3.
func begins(th *thread) bool {
	return len(th.Stack) == 1 && strings.Contains(th.Stack[0].F, "clone") && th.Stop == "no unwind rule"
}

// javaScript are the frames of JavaScript up to the leaf of the program.
func javaScript(th *thread) (out []frame) {
	for _, f := range th.Stack {
		if f.Kind == "js" {
			out = append(out, frame{f.F, f.File, f.Line, f.Col})
		}
	}
	return out
}

// compare compares all frames but those that the leaf calls, and the leaf itself without its column.
func compare(t *testing.T, want, got []frame) {
	t.Helper()
	leaf := slices.IndexFunc(got, func(f frame) bool { return f.Function == "end" })
	if leaf < 0 {
		t.Errorf("no frame of end in %v", got)
		return
	}
	got = slices.Clone(got[leaf:])
	got[0].Column = want[0].Column
	want = slices.Clone(want)
	for i := range want {
		if want[i].Function == "" {
			want[i].Function = "(anonymous)"
		}
		if i < len(got) && want[i].File == "" { // evaluated code: Error.stack has no file
			want[i].File = got[i].File
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// checkArguments compares what functions were called with, in code of each tier. Inlined ones do not say.
func checkArguments(t *testing.T, th *thread) {
	t.Helper()
	const arrow = "[Function (anonymous)]"
	want := map[string]string{"interpreted": arrow, "baseline": arrow, "maglev": arrow, "turbofan": arrow,
		"evaluated": arrow, "charge": arrow, "Savings": "[Function: end]", "inlined": ""}
	for _, f := range th.Stack {
		text, known := want[f.F]
		switch {
		case !known:
		case text == "" && len(f.Arguments) > 0, text != "" && (len(f.Arguments) != 1 || f.Arguments[0].Text != text):
			t.Errorf("%s was called with %v, want %q", f.F, f.Arguments, text)
		case f.F == "charge" && f.This.Text != "Account {}":
			t.Errorf("charge was called on %v, want an Account", f.This)
		case f.F == "Savings" && f.This.Text != "<unknown>":
			t.Errorf("Savings has %v for this before super has returned", f.This)
		}
		delete(want, f.F)
	}
	if len(want) > 0 {
		t.Errorf("no frame of %v", want)
	}
}

// checkTiers compares the tiers with those that the functions are compiled for.
func checkTiers(t *testing.T, v nodes.Version, th *thread) {
	t.Helper()
	want := map[string]string{"interpreted": "ignition", "baseline": "sparkplug", "turbofan": "turbofan",
		"inlined": "turbofan"}
	if v.Maglev() {
		want["maglev"] = "maglev"
	}
	for _, f := range th.Stack {
		if tier, ok := want[f.F]; ok && (f.Tier != tier || f.Inlined != (f.F == "inlined")) {
			t.Errorf("%s is %s, inlined %v, want %s", f.F, f.Tier, f.Inlined, tier)
		}
	}
}
