package e2e

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/nodes"
)

// diagnosis is the output of a run of hotspan doctor.
type diagnosis struct {
	code           int
	stdout, stderr string
}

// doctor runs a copy of the command as a user.
func doctor(t *testing.T, command string, uid uint32, args ...string) diagnosis {
	t.Helper()
	var stdout, stderr bytes.Buffer
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, command, append([]string{"doctor"}, args...)...)
	c.Stdout, c.Stderr = &stdout, &stderr
	c.Dir = "/"
	if uid != 0 {
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	}
	err := c.Run()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		t.Fatal(err)
	}
	d := diagnosis{c.ProcessState.ExitCode(), stdout.String(), stderr.String()}
	t.Logf("%s%sexit code %d", d.stdout, d.stderr, d.code)
	return d
}

// says fails the test if the output lacks a text.
func (d diagnosis) says(t *testing.T, text string) {
	t.Helper()
	if !strings.Contains(d.stdout, text) {
		t.Errorf("doctor does not say %q", text)
	}
}

// number returns the number that matches the group of a pattern.
func (d diagnosis) number(t *testing.T, pattern string) int {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(d.stdout)
	if m == nil {
		t.Errorf("doctor says nothing like %q", pattern)
		return 0
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// versions returns the versions that a Node.js binary prints of itself.
func versions(t *testing.T, node string) string {
	t.Helper()
	out, err := exec.Command(node, "-p",
		"`Node.js ${process.versions.node}, V8 ${process.versions.v8.replace(/-node.*/, '')}, `").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// TestDoctorOnProcess: doctor describes a busy process, with the AsyncContextFrame and with async_hooks.
func TestDoctorOnProcess(t *testing.T) {
	t.Parallel()
	eachFrameNode(t, func(t *testing.T, node string, on []string) {
		off := versionOf(node).AsyncHooks()
		t.Run("frame", func(t *testing.T) { doctorOn(t, node, on, "V8's AsyncContextFrame") })
		t.Run("hooks", func(t *testing.T) { doctorOn(t, node, off, "the resources of async_hooks") })
	})
}

// TestDoctorOnFIFO: where the executable of a process was there is a FIFO now, which any user can do. Nobody writes to
// it: doctor ends, and describes the process as others, by what is mapped.
func TestDoctorOnFIFO(t *testing.T) {
	t.Parallel()
	original, err := nodes.Path("24.21.0")
	if err != nil {
		t.Fatal(err)
	}
	node := filepath.Join(t.TempDir(), "node")
	if err := copyFile(node, original); err != nil {
		t.Fatal(err)
	}
	p := start(t, node, "requests.js", nil, nil)
	if err := errors.Join(os.Remove(node), syscall.Mkfifo(node, 0o666)); err != nil {
		t.Fatal(err)
	}
	doctor(t, hotspan, 0, "-p", strconv.Itoa(p.PID)).judge(t, original)
}

func doctorOn(t *testing.T, node string, flags []string, where string) {
	p := start(t, node, "requests.js", flags, nil)
	d := doctor(t, hotspan, 0, "-p", strconv.Itoa(p.PID))
	d.judge(t, node)
	d.says(t, "AsyncContext    in "+where+": seen in the process")
	d.says(t, "endpoint, user, user.first, user.tenant, user.id, premium")
	d.says(t, "of OpenTelemetry")
	d.says(t, "published       nothing\n")
	const rules = "--label endpoint=endpoint --label first=user.first --label tenant=user.tenant " +
		"--label user.id=user.id"
	d.says(t, "hotspan record -p "+strconv.Itoa(p.PID)+" -d 10s "+rules)
	if samples := record(t, p.PID, 99, 2e9, strings.Fields(rules)...); len(samples) == 0 {
		t.Error("the command that doctor offers records nothing")
	}
}

// TestDoctorOnPublished: doctor lists what a process publishes, and what hotspan does not read of it.
func TestDoctorOnPublished(t *testing.T) {
	t.Parallel()
	draw.Quarter(t, seldom)
	node, err := nodes.Path("24.21.0")
	if err != nil {
		t.Fatal(err)
	}
	publish := "PUBLISH_ADDON=" + addon(t, node, "publish.c")
	context := addon(t, node, "threads.c", "-mtls-dialect=gnu2")
	labels := addon(t, node, "threads.c", "-DLABELS", "-mtls-dialect=gnu2")
	for _, c := range []struct {
		script string
		env    []string
		want   string
	}{
		{"published.js", []string{publish, "WRITER=pprof-5.20"},
			"process context with schema nodejs_v1_dev, otel_thread_ctx_nodejs_v1"},
		{"native_threads.js", []string{publish, "THREADS_ADDONS=" + context + ":" + labels},
			"process context with schema tlsdesc_v1_dev, otel_thread_ctx_v1, custom labels of threads"},
		{"native_threads.js", []string{publish, "THREADS_ADDONS=" + context, "LATE=1"},
			"otel_thread_ctx_v1 (not read: there is no process context to go with it)"},
	} {
		p := start(t, node, c.script, nil, c.env)
		doctor(t, hotspan, 0, "-p", strconv.Itoa(p.PID)).says(t, "published       "+c.want+"\n")
		p.Kill()
	}
}

// TestDoctorOnHandles: without AsyncContextFrame, dd-trace keeps its stores where they cannot be read. The requirements
// that doctor prints are those with which TestRequests runs it.
func TestDoctorOnHandles(t *testing.T) {
	t.Parallel()
	node, err := nodes.Path("22.23.3")
	if err != nil {
		t.Fatal(err)
	}
	p := start(t, node, "requests.js", nil, []string{"TRACER=datadog"})
	d := doctor(t, hotspan, 0, "-p", strconv.Itoa(p.PID))
	d.says(t, "of dd-trace, where they cannot be read: it takes Node.js with --experimental-async-context-frame, and "+
		"dd-trace 5.107 or later\n")
}

// leastVerified is how many fields can be compared with every running process: all but those of code of a tier that it
// may not have.
const leastVerified = 27

// judge checks what doctor prints of any process that can be sampled. The layout's numbers must be those of hotspan
// layout.
func (d diagnosis) judge(t *testing.T, node string) {
	t.Helper()
	if d.code != 0 {
		t.Errorf("doctor ended with %d", d.code)
	}
	d.says(t, versions(t, node))
	if strings.Contains(d.stdout, "WRONG") || strings.Contains(d.stdout, "missing  ") {
		t.Error("something is wrong or missing")
	}
	table, err := exec.Command(hotspan, "layout", node).Output()
	if err != nil {
		t.Fatal(err)
	}
	count := func(pattern string) int { return len(regexp.MustCompile(pattern).FindAll(table, -1)) }
	code, constants := count(`(?m)  machine code of `), count(`(?m)  v8dbg_`)
	rules := count(`(?m)  rule`) - count(`(?m)  absent +rule`)
	if got := d.number(t, `(\d+) from machine code`); got != code {
		t.Errorf("%d fields from machine code, the layout has %d", got, code)
	}
	if got := d.number(t, `(\d+) from constants`); got != constants {
		t.Errorf("%d fields from constants, the layout has %d", got, constants)
	}
	if got := d.number(t, `(\d+) by rule for`); got != rules {
		t.Errorf("%d fields by rule, the layout has %d", got, rules)
	}
	if got := d.number(t, `verified +(\d+) of them`); got < leastVerified || got > code+constants+rules {
		t.Errorf("%d fields verified, want at least %d of %d", got, leastVerified, code+constants+rules)
	}
}

// TestDoctorLists: without a pid, doctor lists every Node.js process, also one that is idle.
func TestDoctorLists(t *testing.T) {
	eachNode(t, func(t *testing.T, node string) {
		c := exec.Command(node, "-e", "setInterval(() => {}, 1000); console.log('ready')")
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Process.Kill(); c.Wait() })
		if _, err := io.ReadFull(out, make([]byte, len("ready\n"))); err != nil {
			t.Fatal(err)
		}
		d := doctor(t, hotspan, 0)
		if d.code != 0 {
			t.Errorf("doctor ended with %d", d.code)
		}
		_, own, found := strings.Cut(d.stdout, "\n  "+strconv.Itoa(c.Process.Pid)+" ")
		if !found {
			t.Fatalf("process %d is not there", c.Process.Pid)
		}
		if !strings.Contains(own, versions(t, node)) {
			t.Errorf("process %d: not %s", c.Process.Pid, versions(t, node))
		}
	})
}

// nobody is a user without privileges.
const nobody = 65534

// TestDoctorWithoutRights: doctor prints a command that gives a user the missing capabilities, and that command works.
func TestDoctorWithoutRights(t *testing.T) {
	copied := readable(t, hotspan)
	d := doctor(t, copied, nobody)
	if d.code != 1 || !strings.Contains(d.stderr, "hotspan: sampling is not possible here: see CAP_BPF, CAP_PERFMON") {
		t.Errorf("exit code %d, %s", d.code, d.stderr)
	}
	fix := "setcap cap_bpf,cap_perfmon,cap_sys_ptrace=ep " + copied
	d.says(t, "$ sudo "+fix+"\n")

	if out, err := exec.Command("sh", "-c", "PATH=$PATH:/sbin:/usr/sbin; "+fix).CombinedOutput(); err != nil {
		t.Skipf("the line cannot be tried here: %v: %s", err, out)
	}
	d = doctor(t, copied, nobody)
	if d.code != 0 || strings.Contains(d.stdout, "missing") {
		t.Errorf("after that line: exit code %d", d.code)
	}
}

// TestDoctorFewFiles: where too few files may be open doctor says that, not what the kernel's refusal looks like.
func TestDoctorFewFiles(t *testing.T) {
	out, err := exec.Command("sh", "-c", `ulimit -n 20; exec "$0" doctor`, hotspan).CombinedOutput()
	for _, want := range []string{"warning  open files      up to 20 at a time", "$ ulimit -n 1024\n",
		"missing  BPF program     refused: too few files may be open\n"} {
		if err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%v, want %q: %s", err, want, out)
		}
	}
}

// TestDoctorNotDumpable: a process of the same user that the kernel protects, here since its user may not read the
// executable, is not said to be another user's.
func TestDoctorNotDumpable(t *testing.T) {
	command, node := readable(t, hotspan), readable(t, node24(t))
	if err := os.Chmod(node, 0o711); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(node, "-e", "setInterval(() => {}, 1000); console.log('ready')")
	c.Dir = "/"
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Process.Kill(); c.Wait() })
	if _, err := io.ReadFull(out, make([]byte, len("ready\n"))); err != nil {
		t.Fatal(err)
	}
	pid := strconv.Itoa(c.Process.Pid)
	doctor(t, command, nobody, "-p", pid).says(t, "hidden          yours, but not dumpable")
	doctor(t, command, nobody+1, "-p", pid).says(t, "hidden          another user's")
}

// readable copies an executable to where every user may run it.
func readable(t *testing.T, program string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "hotspan-doctor-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	b, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(dir, "hotspan")
	if err := os.WriteFile(to, b, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return to
}

// TestDoctorRefuses: a pid that is not of a Node.js process.
func TestDoctorRefuses(t *testing.T) {
	gone := exec.Command("true")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	for pid, want := range map[int]string{
		gone.Process.Pid: "there is no such process",
		0:                "there is no such process",
		os.Getpid():      "not a Node.js process: there is no V8 that hotspan knows in its executable or libraries",
	} {
		d := doctor(t, hotspan, 0, "-p", strconv.Itoa(pid))
		if d.code != 1 || d.stdout != "" || !strings.Contains(d.stderr, want) || strings.Count(d.stderr, "\n") != 1 {
			t.Errorf("process %d: exit code %d, want 1 and %q", pid, d.code, want)
		}
	}
}
