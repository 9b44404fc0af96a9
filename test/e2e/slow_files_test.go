package e2e

import (
	"bufio"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/slowfiles"
	"github.com/hotspan/hotspan/test/truth/judge"
)

// slowTogether is how long hotspan waits at least for the slow files of TestSlowFiles, if for one after the other: each
// read of one may take 5 s, and all reads together 30 s.
const slowTogether = 30 * time.Second

// TestSlowFiles: processes that have mapped code from a file system that answers late, or never, delay the profile of
// no other process: of none that runs, and of none that starts meanwhile. As many of another user's as hotspan would
// wait for at a time do not either.
func TestSlowFiles(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	node := node24(t)
	for _, c := range []struct {
		name      string
		delay     time.Duration
		files     int
		processes int // with each
		user      int
	}{
		{"in time", 4 * time.Second, 12, 1, 0}, {"never", slowfiles.Never, 12, 1, 0},
		{"of another user", 4 * time.Second, 12, 7, 65534},
	} {
		t.Run(c.name, func(t *testing.T) {
			name := t.TempDir()
			running := busyNode(t, node, "", name)
			alone, h := newSlowRun(t, name), newSlowRun(t, name) // which end after the file system: threads wait for it
			alone.start(t)
			without := alone.awaitSample(t, running)
			alone.end()
			dir := slowfiles.Mount(t, node, c.delay)
			strange := func(first rune) {
				for n := range c.files * c.processes {
					slowfiles.MapAs(t, c.user, fmt.Sprintf("%s/%c", dir, first+rune(n%c.files)))
				}
			}
			strange('a')
			h.start(t)
			with := h.awaitSample(t, running)
			strange('A')
			began := time.Now()
			h.awaitSample(t, busyNode(t, node, "", name))
			meanwhile := time.Since(began)
			t.Logf("first named sample after %v, with slow files %v; of a process that starts then %v", without, with,
				meanwhile)
			if most := without + slowTogether/2; with > most || meanwhile > most {
				t.Errorf("want at most %v", most)
			}
		})
	}
}

// slowRun is a hotspan that records the processes of slowfiles, and others by their arguments.
type slowRun struct {
	*exec.Cmd
	said  *bufio.Scanner
	began time.Time
}

func newSlowRun(t *testing.T, name string) *slowRun {
	t.Helper()
	strange := regexp.QuoteMeta(t.Name()) // as slowfiles calls its processes: not those of other tests
	out := filepath.Join(t.TempDir(), "out.pb.gz")
	r := &slowRun{Cmd: exec.Command(hotspan, "record", "-v", "--name", strange+"|"+name, "-o", out)}
	said, err := r.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	r.said = bufio.NewScanner(said)
	t.Cleanup(r.end)
	return r
}

func (r *slowRun) start(t *testing.T) {
	t.Helper()
	r.began = time.Now()
	if err := r.Start(); err != nil {
		t.Fatal(err)
	}
}

func (r *slowRun) end() {
	if r.Process != nil {
		r.Process.Kill()
		r.Wait()
	}
}

// awaitSample waits for the first named sample of a process, and returns how long after the start of hotspan it came.
func (r *slowRun) awaitSample(t *testing.T, pid int) time.Duration {
	t.Helper()
	for r.said.Scan() {
		t.Log(r.said.Text())
		if strings.Contains(r.said.Text(), fmt.Sprintf("first named sample, pid %d,", pid)) {
			return time.Since(r.began)
		}
	}
	t.Fatalf("hotspan ended without a named sample of process %d", pid)
	return 0
}

// TestSlowExecutable: a process whose own executable takes long to read is profiled when that has been read, and others
// before.
func TestSlowExecutable(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	node, name := node24(t), t.TempDir()
	dir, slowDown := slowfiles.MountFast(t, node)
	fast, slow := busyNode(t, node, "", name), busyNode(t, dir+"/node", "", name)
	slowDown(40 * time.Millisecond)
	out := filepath.Join(t.TempDir(), "out.jsonl")
	r := run(t, "record", "--name", name, "--no-cache", "-F", "499", "-d", "16s", "-o", out)
	t.Log(r.Stderr)
	first, named := map[int]int64{}, map[int]int{}
	for _, s := range readSamples(t, out) {
		if first[s.PID] == 0 {
			first[s.PID] = s.T
		}
		if slices.ContainsFunc(s.Stack, func(f judge.Frame) bool { return f.F == "work" }) {
			named[s.PID]++
		}
	}
	later := time.Duration(first[slow] - first[fast])
	t.Logf("named samples %v, the slow one begins after %v", named, later)
	if named[fast] < 50 || named[slow] < 50 || later < time.Second {
		t.Error("want 50 of each at least, and those of the slow one a second later")
	}
}
