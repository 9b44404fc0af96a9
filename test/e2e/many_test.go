package e2e

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hotspan/hotspan/otlp"
	"github.com/hotspan/hotspan/test/draw"
)

// TestMany: an agent beside many processes loses nothing, has each of them, and does not grow: a hundred processes for
// ten minutes with -all, else a dozen for a quarter of one.
func TestMany(t *testing.T) {
	draw.Quarter(t, seldom)
	processes, length := 12, 15*time.Second
	if *all {
		processes, length = 100, 10*time.Minute
	}
	node, service := node24(t), filepath.Join(t.TempDir(), "some.js")
	const code = `setInterval(() => { for (const end = Date.now() + 3; Date.now() < end; ); }, +process.argv[2])`
	if err := os.WriteFile(service, []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	a := startAgent(t, "--name", service, "--period", "5s")
	pids := map[int]bool{}
	for range processes {
		c := exec.Command(node, service, strconv.Itoa(3*processes)) // all together burn a CPU
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Process.Kill(); c.Wait() })
		pids[c.Process.Pid] = true
	}
	var memory []int64 // anonymous, in KiB, every tenth of the time
	for range 10 {
		time.Sleep(length / 10)
		memory = append(memory, status(t, a.Process.Pid, "RssAnon"))
	}
	cpu, snapshots := a.cpu(t), a.stop(t)
	taken, written, lost := taken(t, a.log.String())
	if taken != written || lost != 0 {
		t.Errorf("%d taken, %d written, %d lost", taken, written, lost)
	}
	rows, stored := 0, int64(0)
	for _, s := range snapshots {
		rows += len(s.Rows)
		for _, r := range s.Rows {
			delete(pids, int(r.PID))
		}
	}
	sent := int64(0)
	files, _ := filepath.Glob(filepath.Join(a.store, "*.otlp"))
	for _, f := range files {
		frame, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		stored += int64(len(frame))
		sent += gzipped(t, frame)
	}
	t.Logf("%d processes: %d samples of %.1f bytes on disk, %.1f when they are sent, CPU %v of %v, memory in KiB %v",
		processes, rows, float64(stored)/float64(rows), float64(sent)/float64(rows), cpu, length, memory)
	if rows != written || len(pids) > 0 {
		t.Errorf("%d samples in the store of %d written, %d processes missing", rows, written, len(pids))
	}
	if *all && max(stored, sent) > 60*int64(rows) {
		t.Errorf("%d and %d bytes for %d samples, want at most 60 each", stored, sent, rows)
	}
	if first, last := max(memory[1], memory[2], memory[3]), memory[9]; *all && last > first*5/4 {
		t.Errorf("the memory has grown from %d to %d KiB", first, last)
	}
}

// gzipped is how many bytes the message in a frame of the store has when it is sent, as gzip compresses it.
func gzipped(t *testing.T, frame []byte) int64 {
	t.Helper()
	message, err := otlp.Decompress(frame)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(message); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	return int64(b.Len())
}

// status returns a number of /proc/PID/status.
func status(t *testing.T, pid int, field string) (n int64) {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, after, ok := strings.Cut(string(b), "\n"+field+":")
	if _, err := fmt.Sscan(after, &n); !ok || err != nil {
		t.Fatalf("no %s of process %d: %v", field, pid, err)
	}
	return n
}

// cpu returns the CPU time of a running agent so far.
func (a *runningAgent) cpu(t *testing.T) time.Duration {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", a.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}
