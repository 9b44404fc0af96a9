package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pprofile"

	"github.com/hotspan/hotspan/otlp"
	"github.com/hotspan/hotspan/test/built"
)

// TestAgent: what an agent keeps is what a Collector gets, though the agent is killed and reloaded, and the Collector
// is not there, is restarted and hangs. A sample comes twice only if its profile does, under the same ID.
func TestAgent(t *testing.T) {
	t.Parallel()
	a := newAgent(t)
	a.name = lastArgument(t, requests(t))
	a.endpoint = fmt.Sprintf("http://127.0.0.1:%d", freePort(t))

	a.start(t)
	a.waitFor(t, 50)
	c := startAt(t, a.endpoint)
	a.waitFor(t, 100)
	a.process.Process.Kill()
	a.process.Wait()
	before := len(kept(t, a.store))
	a.start(t)
	a.waitFor(t, before+50)
	c.process.Signal(syscall.SIGSTOP)
	time.Sleep(2 * time.Second)
	a.process.Process.Signal(syscall.SIGHUP)
	c.process.Signal(syscall.SIGCONT)
	a.waitFor(t, before+150)
	messages := c.stop(t)
	a.waitFor(t, before+200)
	c = startAt(t, a.endpoint)
	a.waitFor(t, before+250)
	taken := a.stop(t)
	messages = append(messages, c.stop(t)...)

	want := kept(t, a.store)
	if len(want)-before != taken {
		t.Errorf("the store has %d samples of the first agent and %d of the second, which took %d", before,
			len(want)-before, taken)
	}
	checkDelivered(t, want, messages)
}

// agent is a running hotspan agent.
type agent struct {
	binary, store, name, endpoint string
	socket                        string // none for none
	rate                          int
	period                        time.Duration
	process                       *exec.Cmd
	log                           bytes.Buffer
}

// newAgent builds hotspan, and returns an agent that does not run yet.
func newAgent(t *testing.T) *agent {
	t.Helper()
	dir := t.TempDir()
	binary, err := built.Hotspan(dir, "../..")
	if err != nil {
		t.Fatal(err)
	}
	return &agent{
		binary: binary, store: filepath.Join(dir, "store"), socket: "none", rate: 199, period: 200 * time.Millisecond,
	}
}

func (a *agent) start(t *testing.T) {
	t.Helper()
	a.log.Reset()
	a.process = exec.Command(a.binary, "agent", "--name", regexp.QuoteMeta(a.name), "--rate", fmt.Sprint(a.rate),
		"--period", a.period.String(), "--socket", a.socket, "--cpu-percent", "0", "--store", a.store,
		"--to", a.endpoint+",timeout=300ms")
	a.process.Stderr = &a.log
	if err := a.process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.process.Process.Kill() })
}

// waitFor waits until so many samples are kept, of all agents that have used the store.
func (a *agent) waitFor(t *testing.T, samples int) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); len(kept(t, a.store)) < samples; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d samples are kept, want %d\n%s", len(kept(t, a.store)), samples, &a.log)
		}
	}
}

// stop ends the agent, which must have lost nothing and delivered all, and returns how many samples it has taken.
func (a *agent) stop(t *testing.T) (taken int) {
	t.Helper()
	taken, written, lost := a.end(t)
	if taken != written || lost != 0 {
		t.Fatalf("%d taken, %d written, %d lost", taken, written, lost)
	}
	return taken
}

// end ends the agent, which must have delivered all, and returns the numbers of samples that it says.
func (a *agent) end(t *testing.T) (taken, written, lost int) {
	t.Helper()
	a.process.Process.Signal(syscall.SIGINT)
	err := a.process.Wait()
	t.Logf("%s", &a.log)
	closing := regexp.MustCompile(`(\d+) samples taken in .* = (\d+) written \+ (\d+) lost`)
	said := closing.FindStringSubmatch(a.log.String())
	if err != nil || said == nil || strings.Contains(a.log.String(), "snapshots waiting") {
		t.Fatalf("the agent ended with %v", err)
	}
	fmt.Sscan(strings.Join(said[1:], " "), &taken, &written, &lost)
	return taken, written, lost
}

func lastArgument(t *testing.T, pid int) string {
	t.Helper()
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil {
		t.Fatal(err)
	}
	arguments := strings.Split(strings.TrimRight(string(line), "\x00"), "\x00")
	return arguments[len(arguments)-1]
}

// taking is a sample by its thread and time.
type taking struct{ tid, time int64 }

// kept returns the samples in a store.
func kept(t *testing.T, store string) map[taking]bool {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(store, "*.otlp"))
	all := map[taking]bool{}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := otlp.NewReader(f).Next()
		if err != nil {
			t.Fatal(name, err)
		}
		for _, r := range s.Rows {
			if k := (taking{int64(r.TID), r.Time}); !all[k] {
				all[k] = true
			} else {
				t.Errorf("%s: %v is kept twice", name, k)
			}
		}
		f.Close()
	}
	return all
}

// checkDelivered checks that messages have each sample, and nothing twice but whole profiles under one ID.
func checkDelivered(t *testing.T, want map[taking]bool, messages []pprofile.Profiles) {
	t.Helper()
	got := map[taking]pprofile.ProfileID{}
	times := map[pprofile.ProfileID]int{}
	for _, m := range messages {
		d := dictionary{m.Dictionary()}
		for _, r := range m.ResourceProfiles().All() {
			p := r.ScopeProfiles().At(0).Profiles().At(0)
			times[p.ProfileID()]++
			for _, s := range p.Samples().All() {
				var tid int64
				fmt.Sscan(d.attributes(s.AttributeIndices())["thread.id"], &tid)
				for _, at := range s.TimestampsUnixNano().All() {
					k := taking{tid, int64(at)}
					if id, ok := got[k]; ok && id != p.ProfileID() {
						t.Fatalf("%v is in two profiles", k)
					}
					if got[k] = p.ProfileID(); !want[k] {
						t.Fatalf("%v was never kept", k)
					}
				}
			}
		}
	}
	again := 0
	for _, n := range times {
		again += n - 1
	}
	t.Logf("%d of %d samples in %d profiles, %d profiles again", len(got), len(want), len(times), again)
	if len(got) != len(want) {
		t.Errorf("%d samples of %d are delivered", len(got), len(want))
	}
}
