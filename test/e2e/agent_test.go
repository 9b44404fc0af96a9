package e2e

import (
	"bytes"
	"cmp"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hotspan/hotspan/otlp"
	"github.com/hotspan/hotspan/pprofx"
)

// runningAgent is a hotspan agent with a store and a socket of its own.
type runningAgent struct {
	*exec.Cmd
	store, socket string
	log           *buffer
	ready         <-chan bool // gets a value when it samples
}

// startAgent starts an agent, without a CPU budget unless args have one, and waits until it samples.
func startAgent(t *testing.T, args ...string) *runningAgent {
	t.Helper()
	dir := t.TempDir()
	a := &runningAgent{store: filepath.Join(dir, "store"), socket: filepath.Join(dir, "agent.sock"), log: new(buffer)}
	socket, ready := notifications(t)
	a.Cmd = exec.Command(hotspan, append([]string{"agent", "--store", a.store, "--socket", a.socket,
		"--cpu-percent", "0"}, args...)...)
	a.Stderr, a.Env = a.log, append(os.Environ(), "NOTIFY_SOCKET="+socket)
	if err := a.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Process.Kill(); a.Wait() })
	a.ready = ready
	a.waitReady(t)
	return a
}

// waitReady waits until the agent samples.
func (a *runningAgent) waitReady(t *testing.T) {
	t.Helper()
	select {
	case <-a.ready:
	case <-time.After(time.Minute):
		t.Fatalf("the agent is not ready: %s", a.log)
	}
}

// stop ends the agent and returns its snapshots, in order.
func (a *runningAgent) stop(t *testing.T) []*pprofx.Snapshot {
	t.Helper()
	a.Process.Signal(interrupt)
	if err := a.Wait(); err != nil {
		t.Errorf("the agent ended with %v", err)
	}
	t.Logf("%s", a.log)
	return a.snapshots(t)
}

// snapshots reads what is in the store.
func (a *runningAgent) snapshots(t *testing.T) (all []*pprofx.Snapshot) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(a.store, "*.otlp"))
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := otlp.NewReader(f).Next()
		f.Close()
		if err != nil {
			t.Fatal(name, err)
		}
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b *pprofx.Snapshot) int { return cmp.Compare(a.Start, b.Start) })
	return all
}

// controlGroup makes a control group, and returns an open descriptor of it.
func controlGroup(t *testing.T, name string) int {
	t.Helper()
	mounts, err := os.ReadFile("/proc/mounts")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(mounts)) {
		fields := strings.Fields(line)
		if fields[2] != "cgroup2" {
			continue
		}
		dir := filepath.Join(fields[1], name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close(); os.Remove(dir) })
		return int(f.Fd())
	}
	t.Fatal("cgroup2 is not mounted")
	return 0
}

// TestShortLives: of ten processes a second that live 200 ms each has samples, with its container and its service, and
// those of no container have none. Of one that hotspan got no CPU for before it ended they are counted as lost.
func TestShortLives(t *testing.T) {
	t.Parallel()
	id := fmt.Sprintf("%016x%048x", time.Now().UnixNano(), os.Getpid())
	group := controlGroup(t, "docker-"+id+".scope")
	node := node24(t)
	inGroup := &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: group}
	first := exec.Command(node, "-e", "setTimeout(() => 0, 60000)") // the agent reads this Node before it samples
	first.SysProcAttr = inGroup
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { first.Process.Kill(); first.Wait() }()
	a := startAgent(t, "--container", id[:12], "--rate", "199", "--period", "500ms")
	const lives = 30
	const busy = "let u; do { u = process.cpuUsage() } while (u.user + u.system < 150e3); setTimeout(() => 0, 50)"
	pids, others := map[int]bool{}, map[int]bool{}
	var running []*exec.Cmd
	for i := range lives {
		c := exec.Command(node, "-e", busy)
		c.Env = []string{fmt.Sprintf("OTEL_SERVICE_NAME=s%d", i)}
		which := others
		if i%5 != 0 {
			c.SysProcAttr, which = inGroup, pids
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		which[c.Process.Pid] = true
		running = append(running, c)
		time.Sleep(100 * time.Millisecond)
	}
	for _, c := range running {
		c.Wait()
	}
	lost := int64(0)
	for _, s := range a.stop(t) {
		lost += s.Lost[pprofx.LostExited]
		for pid, p := range s.Processes {
			if pid == first.Process.Pid {
				continue
			}
			if others[pid] || p.Container != id || !strings.HasPrefix(p.Service, "s") {
				t.Errorf("process %d is described as %+v", pid, p)
			}
			delete(pids, pid)
		}
	}
	if n := len(pids); n > lives/10 || int64(n) > lost {
		t.Errorf("%d of %d processes have no samples, of which %d are counted: %v", n, lives, lost, pids)
	}
}

// buffer is a bytes.Buffer that a process writes to while it is read.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// notifications listens as systemd does, and returns a channel that gets a value when the service is ready.
func notifications(t *testing.T) (socket string, ready <-chan bool) {
	t.Helper()
	socket = filepath.Join(t.TempDir(), "n")
	conn, err := net.ListenPacket("unixgram", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	c := make(chan bool, 1)
	go func() {
		for text := make([]byte, 256); ; {
			n, _, err := conn.ReadFrom(text)
			if err != nil {
				return
			}
			if strings.Contains(string(text[:n]), "READY=1") {
				c <- true
				return
			}
		}
	}()
	return socket, c
}
