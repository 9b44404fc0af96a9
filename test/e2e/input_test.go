package e2e

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/truth/judge"
	"github.com/hotspan/hotspan/test/truth/trial"
)

// node24 returns the Node.js for tests that are not about a version.
func node24(t *testing.T) string {
	t.Helper()
	path, err := nodes.Path("24.21.0")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// command starts a process that is ended with the test.
func command(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	c := exec.Command(name, args...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Process.Kill(); c.Wait() })
	return c
}

const spin = "function spin() { for (let i = 0; i < 1e6; i++); setImmediate(spin) } spin()"

// TestWrongUsage: each mistake gets exit code 2 and a sentence that says what is right.
func TestWrongUsage(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"record"}, "say what to profile: -p PID, --name REGEX, -a, or -- COMMAND"},
		{[]string{"record", "-p", "1", "-F", "0"}, "rate 0: at least 1 sample a second"},
		{[]string{"record", "-p", "1", "-F", "1000000"}, "rate 1000000: this kernel allows at most"},
		{[]string{"record", "-p", "one"}, `want a whole number, not "one"`},
		{[]string{"record", "-p", "1", "--label", "tenant"}, "want NAME=PATH, for example tenant=user.tenant"},
		{[]string{"record", "-p", "1", "-o", "x.gif"}, "x.gif"},
		{[]string{"record", "-p", "1", "--name", "("}, "missing closing )"},
		{[]string{"record", "-p", "1", "--snapshot-every", "1s", "-o", "x.pb.gz"}, "needs %n"},
		{[]string{"record", "-p", "1", "--ring-buffer", "3"}, "a power of two"},
		{[]string{"record", "-p", "1", "--wait"}, "--wait goes with --name"},
		{[]string{"reckord"}, `there is no command reckord, did you mean "record"?`},
	} {
		r := run(t, c.args...)
		if r.Code != 2 || !strings.Contains(r.Stderr, c.want) {
			t.Errorf("%v: exit code %d, want 2, and %q in:\n%s", c.args, r.Code, c.want, r.Stderr)
		}
	}
}

// TestCannot: what is impossible gets exit code 1 and the reason.
func TestCannot(t *testing.T) {
	sleeper := strconv.Itoa(command(t, "sleep", "60").Process.Pid)
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"no such process", []string{"-p", "99999999"}, "process 99999999: there is no such process"},
		{"kernel thread", []string{"-p", "2"}, "process 2"},
		{"nothing matches", []string{"--name", "no-such-service-anywhere"}, "record --wait waits for one"},
		{"no directory", []string{"-p", sleeper, "-o", "/no/such/dir/x.pb.gz"}, "output: "},
		{"no command", []string{"--", "no-such-command-anywhere"}, "no-such-command-anywhere"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := run(t, append([]string{"record", "-d", "1s"}, c.args...)...)
			if r.Code != 1 || !strings.Contains(r.Stderr, c.want) {
				t.Errorf("exit code %d, want 1, and %q in:\n%s", r.Code, c.want, r.Stderr)
			}
		})
	}
}

// asNobody runs hotspan without privileges.
func asNobody(t *testing.T, args ...string) trial.Result {
	t.Helper()
	dir, err := os.MkdirTemp("", "hotspan-nobody-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	b, err := os.ReadFile(hotspan)
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(dir, "hotspan")
	if err := os.WriteFile(binary, b, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(binary, args...)
	c.Dir = dir
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	var stderr bytes.Buffer
	c.Stderr = &stderr
	err = c.Run()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		t.Fatal(err)
	}
	return trial.Result{Code: c.ProcessState.ExitCode(), Stderr: stderr.String()}
}

func TestNoPermission(t *testing.T) {
	pid := strconv.Itoa(command(t, node24(t), "-e", spin).Process.Pid)
	r := asNobody(t, "record", "-p", pid, "-d", "1s")
	if r.Code != 1 || !strings.Contains(r.Stderr, "CAP_BPF, CAP_PERFMON and CAP_SYS_PTRACE") ||
		!strings.Contains(r.Stderr, "setcap cap_bpf,cap_perfmon,cap_sys_ptrace=ep") {
		t.Errorf("exit code %d:\n%s", r.Code, r.Stderr)
	}
}

// worksFor is a script that has the program work for so much CPU time.
func worksFor(d time.Duration) string {
	return fmt.Sprintf("const cpu = () => { const u = process.cpuUsage(); return u.user + u.system }; "+
		"for (const end = cpu() + %d; cpu() < end;);", d.Microseconds())
}

// TestExit: the recording ends with the process, and hotspan writes the samples.
func TestExit(t *testing.T) {
	t.Parallel()
	c := command(t, node24(t), "-e", worksFor(3*time.Second))
	out := filepath.Join(t.TempDir(), "x.jsonl")
	r := run(t, "record", "-p", strconv.Itoa(c.Process.Pid), "-d", "200s", "-o", out)
	if r.Code != 0 || r.Took > 150*time.Second {
		t.Errorf("exit code %d after %v:\n%s", r.Code, r.Took, r.Stderr)
	}
	checkSum(t, r, out, 50)
}

// checkSum checks that the samples taken are those in the file plus those lost.
func checkSum(t *testing.T, r trial.Result, file string, atLeast int) []judge.Sample {
	t.Helper()
	samples := readSamples(t, file)
	all, written, lost := taken(t, r.Stderr)
	if len(samples) != written || all != written+lost || written < atLeast {
		t.Errorf("%d samples in the file, want at least %d; the closing line says %d = %d + %d:\n%s", len(samples),
			atLeast, all, written, lost, r.Stderr)
	}
	return samples
}

// TestExec: hotspan says that a process executes a program that is not Node.js, and writes the samples.
func TestExec(t *testing.T) {
	t.Parallel()
	node := node24(t)
	js := worksFor(3*time.Second) + " process.execve('/bin/sleep', ['sleep', '30'], process.env)"
	c := command(t, node, "--no-warnings", "-e", js)
	out := filepath.Join(t.TempDir(), "x.jsonl")
	r := run(t, "record", "-p", strconv.Itoa(c.Process.Pid), "-d", "200s", "-o", out)
	if r.Code != 0 || !strings.Contains(r.Stderr, "runs another program now") {
		t.Errorf("exit code %d:\n%s", r.Code, r.Stderr)
	}
	checkSum(t, r, out, 30)
}

// TestInterrupt: Ctrl-C ends the recording with exit code 0 and a whole file.
func TestInterrupt(t *testing.T) {
	c := command(t, node24(t), "-e", spin)
	out := filepath.Join(t.TempDir(), "x.jsonl")
	h := exec.Command(hotspan, "record", "-p", strconv.Itoa(c.Process.Pid), "-F", "999", "-v", "-o", out)
	stderr := new(buffer)
	h.Stderr = stderr
	if err := h.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Process.Kill() })
	stderr.await(t, "first named sample", 1)
	time.Sleep(2 * time.Second)
	h.Process.Signal(interrupt)
	if err := h.Wait(); err != nil {
		t.Errorf("%v:\n%s", err, stderr.String())
	}
	checkSum(t, trial.Result{Stderr: stderr.String()}, out, 50)
}

// TestFullRing: samples that do not fit in the ring buffer are counted, and the sum is still right.
func TestFullRing(t *testing.T) {
	draw.Quarter(t, seldom)
	c := command(t, node24(t), "-e", "function deep(n) { return n ? deep(n - 1) + 1 : burn() } function burn() { "+
		"const end = Date.now() + 900; while (Date.now() < end); return 0 } for (;;) deep(900)")
	out := filepath.Join(t.TempDir(), "x.jsonl")
	h := exec.Command(hotspan, "record", "-p", strconv.Itoa(c.Process.Pid), "-F", "997", "--ring-buffer", "1", "-d",
		"5s", "-o", out)
	var stderr bytes.Buffer
	h.Stderr = &stderr
	if err := h.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2500 * time.Millisecond)
	h.Process.Signal(syscall.SIGSTOP) // nobody reads
	time.Sleep(2 * time.Second)
	h.Process.Signal(syscall.SIGCONT)
	if err := h.Wait(); err != nil {
		t.Fatalf("%v:\n%s", err, stderr.String())
	}
	if !strings.Contains(stderr.String(), "ring buffer full") {
		t.Errorf("no loss was counted:\n%s", stderr.String())
	}
	checkSum(t, trial.Result{Stderr: stderr.String()}, out, 100)
}

// TestUnmatchedLabel: hotspan reports a path that matches nothing once, with the properties that stores had.
func TestUnmatchedLabel(t *testing.T) {
	t.Parallel()
	js := "const { AsyncLocalStorage } = require('async_hooks'); const s = new AsyncLocalStorage({ name: 'app' }); " +
		"s.run({ endpoint: 'x', user: { id: 'u' } }, () => { " + spin + " })"
	c := command(t, node24(t), "-e", js)
	out := filepath.Join(t.TempDir(), "x.jsonl")
	r := run(t, "record", "-p", strconv.Itoa(c.Process.Pid), "-d", "2s", "-o", out, "-F", "999",
		"--label", "tenant=user.tenant", "--label", "who=als(\"app\").user.id", "--label",
		"other=als(\"session\").user.id")
	want := "label tenant matched nothing; properties seen in stores: endpoint, user\n"
	if r.Code != 0 || strings.Count(r.Stderr, want) != 1 || !strings.Contains(r.Stderr, "label other matched nothing") {
		t.Errorf("exit code %d, want once %q in:\n%s", r.Code, want, r.Stderr)
	}
	var named judge.Share
	for _, s := range checkSum(t, r, out, 50) {
		if len(s.JS()) > 0 {
			named.Count(s.Labels["who"] == "u" && len(s.Labels) == 1)
		}
	}
	atLeast(t, named, "samples with the label of the named store", 95, 50)
}

// TestCommand: hotspan profiles a command from its first instruction, if it gets a CPU, and its children that are
// Node.js.
func TestCommand(t *testing.T) {
	t.Parallel()
	found := false
	untilEnough(t, func(times int) bool {
		burnt := samplesOfCommand(t, times)
		want := 148 * times
		found = min(burnt["parentBurns"], burnt["childBurns"]) >= want-28
		t.Logf("want about %d samples in each of two functions: %v", want, burnt)
		return found
	})
	if !found {
		t.Error("samples are missing")
	}
}

// samplesOfCommand records a command that burns CPU for 1.5 seconds, times so many, and has a child that does. It
// returns the samples by function.
func samplesOfCommand(t *testing.T, times int) map[string]int {
	t.Helper()
	node, dir := node24(t), t.TempDir()
	burns := func(name string) string {
		return fmt.Sprintf("const cpu = () => { const u = process.cpuUsage(); return u.user + u.system }; function "+
			"%s() { const end = cpu() + %d * 1.5e6; while (cpu() < end); } %[1]s();", name, times)
	}
	child := filepath.Join(dir, "child.js")
	if err := os.WriteFile(child, []byte(burns("childBurns")), 0o644); err != nil {
		t.Fatal(err)
	}
	parent := burns("parentBurns") + fmt.Sprintf("require('child_process').execFileSync(%q, [%q])", node, child)
	out := filepath.Join(dir, "x.jsonl")
	r := run(t, "record", "-o", out, "--", node, "-e", parent)
	if r.Code != 0 {
		t.Errorf("exit code %d:\n%s", r.Code, r.Stderr)
	}
	burnt := map[string]int{}
	for _, s := range checkSum(t, r, out, 150) {
		for _, f := range s.JS() {
			burnt[f.F]++
		}
	}
	return burnt
}

// TestByName: hotspan finds processes by name, also those that start later, and no others.
func TestByName(t *testing.T) {
	t.Parallel()
	node, dir := node24(t), t.TempDir()
	script := filepath.Join(dir, "orders-service.js")
	if err := os.WriteFile(script, []byte(spin), 0o644); err != nil {
		t.Fatal(err)
	}
	first := command(t, node, script)
	other := command(t, node, "-e", spin)
	out := filepath.Join(dir, "x.jsonl")
	h := exec.Command(hotspan, "record", "--name", "orders-service", "-F", "499", "-d", "5s", "-o", out)
	h.Stderr = io.Discard
	if err := h.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * time.Second)
	second := command(t, node, script)
	if err := h.Wait(); err != nil {
		t.Fatal(err)
	}
	count := map[int]int{}
	for _, s := range readSamples(t, out) {
		count[s.PID]++
	}
	if count[first.Process.Pid] < 50 || count[second.Process.Pid] < 30 || count[other.Process.Pid] > 0 {
		t.Errorf("samples by pid %v, want of %d and %d, none of %d", count, first.Process.Pid, second.Process.Pid,
			other.Process.Pid)
	}
}

// TestStripped: hotspan profiles a Node.js without symbols and says what is missing. In the oldest version, exported
// functions give the place of the builtins; in Node 24, it is found by what is there.
func TestStripped(t *testing.T) {
	t.Parallel()
	draw.Quarter(t, seldom)
	list := slices.DeleteFunc(nodes.Versions(),
		func(v nodes.Version) bool { return v != nodes.Versions()[0] && v.Version != "24.21.0" })
	runNodes(t, list, func(t *testing.T, v nodes.Version, node string) {
		stripped := filepath.Join(t.TempDir(), "node")
		if out, err := exec.Command("strip", "-o", stripped, node).CombinedOutput(); err != nil {
			t.Fatalf("strip: %v: %s", err, out)
		}
		p := start(t, stripped, "functions.js", []string{"--expose-gc"}, nil)
		samples := recordEnough(t, p.PID, 499, 300, 5*time.Second)
		found := compare(t, samples, p.truth(t))
		if found.Wrong > 0 {
			t.Errorf("%d functions wrong, want none", found.Wrong)
		}
		atLeast(t, found.Right, "leaf function right", 99, 100)
		atLeast(t, found.Line, "caller's line right", 99, 100)
		d := doctor(t, hotspan, 0, "-p", strconv.Itoa(command(t, stripped, "-e", spin).Process.Pid))
		d.says(t, "WebAssembly functions have no names")
		if v.Major() >= 24 {
			d.says(t, "kBytecodeSizes: assumed to be as in the official build")
		}
	})
}
