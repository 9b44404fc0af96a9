package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// startMany starts processes at once that end soon, and writes what the kernel says of itself and of them.
const startMany = `
const work = 'for (const end = performance.now() + 500; performance.now() < end;);';
let left = 30;
for (let i = left; i > 0; i--) {
  child_process.spawn(process.execPath, ['-e', work]).on('exit', () => {
    if (--left === 0) fs.writeFileSync(process.env.STAT, fs.readFileSync('/proc/self/stat'));
  });
}`

// TestUnsampled: the CPU time of processes that start is in samples, or is said to have passed before these.
func TestUnsampled(t *testing.T) {
	stat := filepath.Join(t.TempDir(), "stat")
	const rate = 499
	c := exec.Command(hotspan, "record", "--json", "-F", strconv.Itoa(rate), "-o", stat+".jsonl", "--", node24(t), "-e",
		startMany)
	c.Env = append(os.Environ(), "STAT="+stat)
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	var a struct {
		Taken           int64
		UnsampledStarts float64
	}
	if err := json.Unmarshal(out, &a); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	b, err := os.ReadFile(stat)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), ") ")
	var used time.Duration // fields 14 to 17: its own time and that of its children (proc_pid_stat(5))
	for _, ticks := range strings.Fields(rest)[11:15] {
		n, _ := strconv.Atoi(ticks)
		used += time.Duration(n) * 10 * time.Millisecond
	}
	sampled := float64(a.Taken) / rate
	t.Logf("%.2f s of CPU: %.2f s sampled, %.2f s before that", used.Seconds(), sampled, a.UnsampledStarts)
	if got := (sampled + a.UnsampledStarts) / used.Seconds(); got < 0.88 || got > 1.2 || a.UnsampledStarts == 0 {
		t.Errorf("%.2f of the CPU time is known, want 0.88 to 1.2", got)
	}
}
