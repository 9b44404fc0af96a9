package e2e

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// metric returns a metric that an agent serves at HOST:PORT.
func metric(t *testing.T, address, name string) int64 {
	t.Helper()
	r, err := http.Get("http://" + address + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	page, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(page)) {
		if text, ok := strings.CutPrefix(line, name+" "); ok {
			n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
			if err != nil {
				t.Fatal(err)
			}
			return int64(n)
		}
	}
	t.Fatalf("no metric %s", name)
	return 0
}

// locked returns the memory of the BPF maps that a process has open, as the kernel counts it, in bytes.
func locked(t *testing.T, pid int) (sum int64) {
	t.Helper()
	byID := map[int64]int64{} // a map may be open several times
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fdinfo/*", pid))
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // closed meanwhile
		}
		var id, bytes int64
		for line := range strings.Lines(string(text)) {
			_, _ = fmt.Sscanf(line, "memlock: %d", &bytes)
			_, _ = fmt.Sscanf(line, "map_id: %d", &id)
		}
		byID[id] = bytes
	}
	delete(byID, 0) // programs have memory too, but no map_id
	for _, bytes := range byID {
		sum += bytes
	}
	return sum
}

// near reports whether two numbers of bytes differ by no more than what some entries of maps take meanwhile.
func near(a, b int64) bool { return max(a, b)-min(a, b) < 64<<10 }

// freeAddress is HOST:PORT on loopback that nobody listens at.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// TestMapMemory: the agent counts its BPF maps, and apart from them those of what is captured for a caller, while that
// lasts. What the kernel does not count are the unwind tables: as many for a capture of the only process as for the
// agent.
func TestMapMemory(t *testing.T) {
	p := start(t, node24(t), "functions.js", []string{"--expose-gc"}, nil)
	address := freeAddress(t)
	a := startAgent(t, "--name", regexp.QuoteMeta(p.Log), "--period", "1s", "--http", address)
	const maps, captured, memory = "hotspan_bpf_map_bytes", "hotspan_capture_bpf_map_bytes", "hotspan_memory_bytes"
	var own, all, kernel int64
	said := func() string { return fmt.Sprintf("%d bytes, %d its own, the kernel counts %d", all, own, kernel) }
	read := func() {
		own, kernel = metric(t, address, maps), locked(t, a.Process.Pid)
		all = own + metric(t, address, captured)
	}
	until(t, func() bool { // until nothing is added any more
		before := all
		read()
		time.Sleep(2 * time.Second)
		return all == before && kernel > 1<<20 && all > kernel+1<<20
	}, said)
	alone, tables := kernel, all-kernel
	ctx, end := context.WithCancel(t.Context())
	defer end()
	capture := exec.CommandContext(ctx, hotspan, "stream", "--socket", a.socket, "-p", fmt.Sprint(p.PID), "-F", "99",
		"-o", filepath.Join(t.TempDir(), "captured.otlp"))
	capture.Cancel = func() error { return capture.Process.Signal(os.Interrupt) }
	if err := capture.Start(); err != nil {
		t.Fatal(err)
	}
	until(t, func() bool {
		read()
		return kernel > alone+1<<20 && near(all, kernel+2*tables) && near(own, alone+tables)
	}, said)
	if sum := metric(t, address, memory); sum < own {
		t.Errorf("%d bytes of memory, %d of BPF maps", sum, own)
	}
	end()
	_ = capture.Wait() // it ends by the signal
	until(t, func() bool { read(); return near(kernel, alone) && near(all, kernel+tables) && own == all }, said)
}
