package e2e

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestAccount: record --json prints what became of the samples, as they are in the file, and nothing else.
func TestAccount(t *testing.T) {
	for _, c := range []struct {
		name  string
		flags []string
		probe bool
		waits bool
	}{
		{"timer", []string{"-F", "499"}, false, false},
		{"probe", []string{"--probe", "syscall:getpriority", "--probe-limit", "10"}, true, false},
		{"waits", []string{"--wall", "-F", "499"}, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "out.jsonl")
			args := append([]string{"record", "--json", "-o", file}, c.flags...)
			out, err := exec.Command(hotspan, append(args, "--", node24(t), "-e", `
for (const end = Date.now() + 1000; Date.now() < end;) os.getPriority()
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)`)...).Output()
			if err != nil {
				t.Fatal(err)
			}
			var a struct {
				Taken, Written, Idle, OtherThreads, Samples, ToRoot int64
				Lost                                                map[string]int64
				Probes                                              []struct{ Hits int64 }
				Waits                                               *struct{ Ended, Samples float64 }
				CPU                                                 float64
				Memory                                              int64
				File                                                string
			}
			if err := json.Unmarshal(out, &a); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			sum := a.Written + a.Idle + a.OtherThreads
			for _, n := range a.Lost {
				sum += n
			}
			var inFile int64
			for _, s := range readSamples(t, file) {
				if inFile++; s.Hits != nil {
					inFile += *s.Hits - 1
				}
			}
			if a.Written == 0 || a.Written != inFile || sum != a.Taken || a.File != file || a.ToRoot > a.Samples {
				t.Errorf("in the file are %d: %s", inFile, out)
			}
			if a.CPU <= 0 || a.Memory < 1<<20 {
				t.Errorf("the cost is missing: %s", out)
			}
			if (len(a.Probes) == 1 && a.Probes[0].Hits == a.Taken && a.Lost["rate limit"] > 0) != c.probe {
				t.Errorf("probes: %s", out)
			}
			// Of the 200 ms the thread is on a CPU until it waits.
			if (a.Waits != nil && a.Waits.Samples > 0.19 && a.Waits.Ended >= a.Waits.Samples) != c.waits {
				t.Errorf("waits: %s", out)
			}
		})
	}
}
