package e2e

import (
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// TestTimeNamespace: where hotspan's CLOCK_MONOTONIC is not the kernel's, but ahead or behind, samples have their time
// all the same, and none is lost.
func TestTimeNamespace(t *testing.T) {
	t.Parallel()
	for _, ahead := range []string{"100000", "-100"} {
		t.Run(ahead, func(t *testing.T) {
			dir, begun := t.TempDir(), time.Now()
			out, err := exec.Command("unshare", "--time", "--monotonic", ahead, "--fork", "--kill-child", hotspan,
				"record", "--snapshot-every", "500ms", "-o", filepath.Join(dir, "%n.jsonl"), "--", node24(t), "-e",
				"while (process.cpuUsage().user < 1.5e6) for (let i = 0; i < 1e6; i++);").CombinedOutput()
			ended := time.Now()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			files, _ := filepath.Glob(filepath.Join(dir, "*.jsonl"))
			slices.Sort(files)
			inFiles := 0
			for _, f := range files {
				samples := readSamples(t, f)
				inFiles += len(samples)
				for _, s := range samples {
					if at := time.Unix(0, s.T); at.Before(begun) || at.After(ended) {
						t.Fatalf("%s: a sample at %v, recorded from %v to %v", f, at, begun, ended)
					}
				}
			}
			all, written, lost := taken(t, string(out))
			if len(files) < 3 || inFiles != written || all != written+lost || lost > 2 || written < 100 {
				t.Errorf("%d samples in %d files\n%s", inFiles, len(files), out)
			}
		})
	}
}
