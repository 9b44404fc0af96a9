package agent

import (
	"bufio"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/test/nodes/live"
)

// TestCatchUp: of processes that ended without an event none is kept, also where another process has the id of one by
// now. One that runs on is. One that called execve, for the same program, is profiled anew.
func TestCatchUp(t *testing.T) {
	a, pids := attached(t, 4)
	reused, gone, runs, executes := pids[0], pids[1], pids[2], pids[3]
	end(t, gone)
	end(t, reused)
	startAs(t, reused, "sleep", "60")
	before := maps.Clone(a.targets)
	if err := syscall.Kill(executes, syscall.SIGUSR2); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); !before[executes].Executed() && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	a.catchUp()
	if a.targets[executes] != nil {
		t.Error("what was known before an execve is kept")
	}
	for deadline := time.Now().Add(time.Minute); a.targets[executes] == nil && time.Now().Before(deadline); {
		a.async.DrainResults()
		time.Sleep(time.Millisecond)
	}
	now := a.targets[executes]
	if a.targets[reused] != nil || a.targets[gone] != nil || a.targets[runs] != before[runs] || len(a.targets) != 2 {
		t.Errorf("the id is another's: %v, there is none: %v, it runs: %v",
			a.targets[reused], a.targets[gone], a.targets[runs])
	}
	if now == nil || now.Executed() || now.config.Id == before[executes].config.Id {
		t.Errorf("after execve %+v, before %+v", now, before[executes])
	}
}

// TestReusedPID: a Node.js process that has the id of another one, of whose end there was no event, is profiled as
// itself: nothing of what was known of the other counts.
func TestReusedPID(t *testing.T) {
	a, pids := attached(t, 1)
	pid, old := pids[0], a.targets[pids[0]]
	if err := a.start(); err != nil {
		t.Fatal(err)
	}
	a.builder.Add(&pprofx.Sample{PID: pid, Time: a.now().UnixNano()}, false)
	end(t, pid)
	startAs(t, pid, old.Executable, "-e", "setInterval(() => {}, 1000)")
	a.lifecycle(bpf.Lifecycle{Type: bpf.RecordExec, Pid: uint32(pid), Time: uint64(sampler.Now())})
	if a.targets[pid] != nil {
		t.Error("what was known before is kept while the process is read")
	}
	for deadline := time.Now().Add(time.Minute); a.targets[pid] == nil && time.Now().Before(deadline); {
		a.async.DrainResults()
		time.Sleep(time.Millisecond)
	}
	now := a.targets[pid]
	if now == nil || now.Ended() || now.Started == old.Started || now.config.Id == old.config.Id {
		t.Errorf("now %+v, before %+v", now, old)
	}
	a.builder.Add(&pprofx.Sample{PID: pid, Time: a.now().UnixNano()}, false)
	cut := a.builder.Cut(a.now().UnixNano() + 1)
	if len(cut) != 2 || len(cut[0].Rows) != 1 || len(cut[1].Rows) != 1 {
		t.Errorf("samples of both are in %d snapshots", len(cut))
	}
}

// waits is a program that waits for the end of its input. By SIGUSR2 it executes itself anew.
const waits = `process.stdin.on('end', process.exit).resume()
	process.on('SIGUSR2', () => process.execve(process.execPath, ['node', '-e', process._eval]))
	console.error('ready')`

// attached makes an Agent that profiles so many Node.js processes and does not run: it gets no event.
func attached(t *testing.T, n int) (a *Agent, pids []int) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Fatal("this test loads BPF programs: run it as root")
	}
	for range n {
		pids = append(pids, live.Start(t, "24.21.0", "-e", waits).PID)
	}
	a, err := New(Config{Select: Selection{PIDs: pids}, Rate: 99})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	return a, pids
}

// end ends a child of this process, whose id another one can get then.
func end(t *testing.T, pid int) {
	t.Helper()
	var status syscall.WaitStatus
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if _, err := syscall.Wait4(pid, &status, 0, nil); err != nil {
		t.Fatal(err)
	}
}

// startAs starts a program with a process id. A shell does, as it starts nothing else meanwhile; if another process of
// the machine gets the id, this one waits until that has ended, and tries again.
func startAs(t *testing.T, pid int, program string, args ...string) {
	t.Helper()
	const script = `n=$1; shift; echo $((n - 1)) > /proc/sys/kernel/ns_last_pid
		"$@" < /dev/null > /dev/null 2>&1 & echo $!; wait`
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("no process gets the id %d", pid)
		}
		c := exec.Command("sh", append([]string{"-c", script, "sh", fmt.Sprint(pid), program}, args...)...)
		out, err := c.StdoutPipe()
		if err != nil || c.Start() != nil {
			t.Fatal(err)
		}
		line, _ := bufio.NewReader(out).ReadString('\n')
		var got int
		fmt.Sscan(line, &got)
		stop := func() {
			if got > 0 {
				syscall.Kill(got, syscall.SIGKILL)
			}
			c.Wait()
		}
		if got != pid {
			stop()
			continue
		}
		t.Cleanup(stop)
		for !strings.HasPrefix(procs.CommandLine(pid), program) && time.Now().Before(deadline) { // until execve
			time.Sleep(time.Millisecond)
		}
		return
	}
}
