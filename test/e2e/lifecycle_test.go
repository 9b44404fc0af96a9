package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/truth/trial"
)

// TestLeaderEnds: a process whose first thread ends is sampled as long as it has others, also if hotspan comes later.
func TestLeaderEnds(t *testing.T) {
	t.Parallel()
	draw.Quarter(t, seldom)
	program := filepath.Join(t.TempDir(), "leader")
	said, err := exec.Command("gcc", "-O1", "-o", program, "testdata/leader.c", "-lpthread").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	started, err := trial.Begin(exec.Command(program))
	p := owned(t, started, err)
	p.await(t)
	for _, when := range []string{"before", "after"} {
		samples := recordEnough(t, p.PID, 99, 100, 5*time.Second)
		burns := 0
		for _, s := range samples {
			if strings.HasPrefix(s.Stack[0].F, "[") {
				t.Errorf("%s its end, no name: %v", when, s.Stack)
			}
			if s.TID != p.PID && s.Stack[0].F == "burn" {
				burns++
			}
		}
		took := time.Duration(samples[len(samples)-1].T - samples[0].T)
		if took < 3*time.Second || burns < 50 {
			t.Errorf("%s its end: samples of %v, %d of them in burn", when, took, burns)
		}
	}
}

// ownMachine skips a test that changes the whole machine for some seconds, unless that may be.
func ownMachine(t *testing.T) {
	t.Helper()
	if os.Getenv("OWN_MACHINE") == "" {
		t.Skip("the machine may be somebody else's: OWN_MACHINE=1 says that it is not")
	}
}

// TestTimerThrottled: where the kernel lets a timer fire less often than it was asked to, the closing lines say for how
// long it did not. No more samples can have been taken than in the rest of the time.
func TestTimerThrottled(t *testing.T) {
	ownMachine(t)
	const file = "/proc/sys/kernel/perf_event_max_sample_rate"
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	out, log := filepath.Join(dir, "out.jsonl"), filepath.Join(dir, "log")
	pid := busyNode(t, node24(t), "setTimeout(() => { while (true); }, 100)", "throttled")
	c := exec.Command(hotspan, "record", "-p", strconv.Itoa(pid), "-F", "999", "-d", "6s", "-o", out)
	if c.Stderr, err = os.Create(log); err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	awaitText(t, log, "first named sample")
	t.Cleanup(func() { os.WriteFile(file, before, 0) })
	if err := os.WriteFile(file, []byte("250"), 0); err != nil {
		t.Skip("the limit cannot be changed:", err)
	}
	if err := c.Wait(); err != nil {
		t.Fatal(err)
	}
	said, _ := os.ReadFile(log)
	t.Logf("%s", said)
	m := regexp.MustCompile(`taken in ([\d.]+) s .*\n.*held the timer back for ([\d.]+) s, .*max_sample_rate is 250\n`).
		FindSubmatch(said)
	if m == nil {
		t.Fatal("that the timer was throttled is not said")
	}
	all, _ := strconv.ParseFloat(string(m[1]), 64)
	seconds, _ := strconv.ParseFloat(string(m[2]), 64)
	n := len(readSamples(t, out))
	if rest := all*float64(runtime.NumCPU()) - seconds; seconds < 2 || float64(n) > 999*1.1*rest {
		t.Errorf("the timer was held back for %.3f s, and there are %d samples", seconds, n)
	}
}

// TestCPUComesOnline: a CPU that comes online while hotspan records is sampled, too.
func TestCPUComesOnline(t *testing.T) {
	ownMachine(t)
	const cpu, file = 1, "/sys/devices/system/cpu/cpu1/online"
	if err := os.WriteFile(file, []byte("0"), 0); err != nil {
		t.Skip("no CPU can be taken offline:", err)
	}
	t.Cleanup(func() { os.WriteFile(file, []byte("1"), 0) })
	pid := busyNode(t, node24(t), "setTimeout(() => { while (true); }, 100)", "online")
	dir := t.TempDir()
	out, log := filepath.Join(dir, "out.jsonl"), filepath.Join(dir, "log")
	c := exec.Command(hotspan, "record", "-p", strconv.Itoa(pid), "-d", "12s", "-o", out)
	var err error
	if c.Stderr, err = os.Create(log); err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	awaitText(t, log, "first named sample")
	if err := os.WriteFile(file, []byte("1"), 0); err != nil {
		t.Fatal(err)
	}
	var there unix.CPUSet
	there.Set(cpu)
	if err := unix.SchedSetaffinity(pid, &there); err != nil {
		t.Fatal(err)
	}
	err = c.Wait()
	said, _ := os.ReadFile(log)
	if t.Logf("%s", said); err != nil || !strings.Contains(string(said), "a CPU has come online") {
		t.Errorf("%v, or the CPU is not mentioned", err)
	}
	on := map[int]int{}
	for _, s := range readSamples(t, out) {
		on[s.CPU]++
	}
	if t.Log("samples by CPU:", on); on[0] == 0 || on[cpu] < 100 {
		t.Error("a CPU was not sampled")
	}
}

// TestEndsDuringAttach: a process may end while hotspan begins to profile it, whether its parent takes note or not. At
// each time hotspan says so, or writes all that it has taken.
func TestEndsDuringAttach(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	const step, enough, most = 10 * time.Millisecond, 6, 300
	node, out := node24(t), filepath.Join(t.TempDir(), "out.jsonl")
	refused, recorded := 0, 0 // the process had ended before it was sampled; it ended later
	for i := range most {
		if recorded >= enough {
			break
		}
		pid := busyNode(t, node, "", "ends")
		end := time.AfterFunc(time.Duration(i)*step, func() {
			_ = unix.Kill(pid, unix.SIGKILL)
			if i%2 == 0 {
				_, _ = unix.Wait4(pid, nil, 0, nil)
			}
		})
		r := run(t, "record", "-p", strconv.Itoa(pid), "-d", "60s", "-o", out)
		if end.Stop() {
			t.Fatalf("hotspan ended before the process did: %d, %s", r.Code, r.Stderr)
		}
		if r.Took > 30*time.Second {
			t.Errorf("ended after %v, hotspan went on for %v", time.Duration(i)*step, r.Took)
		}
		if r.Code != 0 {
			refused++
			if want := "hotspan: process " + strconv.Itoa(pid) + ": there is no such process\n"; r.Stderr != want {
				t.Errorf("ended after %v: exit code %d, %q", time.Duration(i)*step, r.Code, r.Stderr)
			}
			if _, err := os.Stat(out); err == nil {
				t.Errorf("ended after %v: refused, and there is a file", time.Duration(i)*step)
			}
			continue
		}
		recorded++
		balance(t, r.Stderr, len(readSamples(t, out)))
		if err := os.Remove(out); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d refused, %d recorded", refused, recorded)
	if refused == 0 || recorded < enough {
		t.Errorf("%d were refused, %d recorded", refused, recorded)
	}
}

// balance checks the closing lines of a recording: what was taken is written or lost, and the file has what was
// written.
func balance(t *testing.T, said string, inFile int) {
	t.Helper()
	if inFile == 0 && strings.Contains(said, "no samples in ") {
		return
	}
	if all, written, lost := taken(t, said); all != written+lost || written != inFile {
		t.Errorf("%d taken, %d written, %d lost, and %d in the file", all, written, lost, inFile)
	}
}
