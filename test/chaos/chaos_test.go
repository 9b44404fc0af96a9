package main

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestChaos does each trial once, with two kills: make chaos does them for ten minutes.
func TestChaos(t *testing.T) {
	t.Chdir("../..")
	hotspan := filepath.Join(t.TempDir(), "hotspan")
	if out, err := exec.Command("go", "build", "-o", hotspan, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	c := &chaos{hotspan: hotspan, seed: uint64(time.Now().UnixNano()), brief: true, hostile: 6 * time.Second}
	t.Logf("seed %d", c.seed)
	results, err := run(c, 6*time.Second, "")
	var table bytes.Buffer
	print(&table, results)
	t.Logf("\n%s", &table)
	if n := failures(results); err != nil || n > 0 {
		t.Errorf("%d failures, %v", n, err)
	}
	if len(results) != len(trials) {
		t.Errorf("%d trials of %d", len(results), len(trials))
	}
}
