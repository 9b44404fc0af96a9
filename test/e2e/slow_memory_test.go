package e2e

import (
	"bufio"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/truth/trial"
)

// TestSlowMemory: a process whose memory cannot be read, since a page fault in it never ends, delays hotspan by little,
// and not the profile of another process.
func TestSlowMemory(t *testing.T) {
	node := node24(t)
	name := t.TempDir()
	hostile := busyNode(t, node, "require("+strconv.Quote(addon(t, node, "slow_memory.c"))+")", name)
	service := busyNode(t, node, "", name)
	out := filepath.Join(t.TempDir(), "out.jsonl")
	for _, pids := range [][]string{
		{"-p", strconv.Itoa(hostile), "-p", strconv.Itoa(service)}, {"--name", name},
	} {
		result := make(chan trial.Result, 1)
		c := exec.Command(hotspan, append([]string{"record", "-F", "499", "-d", "3s", "-o", out}, pids...)...)
		go func() {
			said, err := c.CombinedOutput()
			code := 0
			if err != nil {
				code = 1
			}
			result <- trial.Result{Code: code, Stderr: string(said)}
		}()
		select {
		case r := <-result:
			t.Log(r.Stderr)
			seen := map[int]int{}
			for _, s := range readSamples(t, out) {
				seen[s.PID]++
			}
			if r.Code != 0 || seen[service] < 50 {
				t.Errorf("%v: hotspan ended with %d, samples %v of the service %d", pids, r.Code, seen, service)
			}
		case <-time.After(40 * time.Second):
			c.Process.Kill()
			t.Fatalf("%v: hotspan hangs", pids)
		}
	}
}

// busyNode starts a process that works all the time after some code, and waits until it does.
func busyNode(t *testing.T, node, code, name string) int {
	t.Helper()
	const busy = "; console.log('ready'); function work() { for (const end = Date.now() + 5; Date.now() < end;); } " +
		"setInterval(work, 10)"
	c := exec.Command(node, "-e", code+busy, name)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Process.Kill(); c.Wait() })
	if said, err := bufio.NewReader(out).ReadString('\n'); !strings.Contains(said, "ready") {
		t.Fatal(said, err)
	}
	return c.Process.Pid
}
