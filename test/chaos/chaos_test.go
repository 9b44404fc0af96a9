package main

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/built"
	"github.com/hotspan/hotspan/test/draw"
)

// TestChaos does each trial once that is drawn, with two kills: make chaos does them for ten minutes.
func TestChaos(t *testing.T) {
	drawn := draw.Share(trials, 2, t.Name())
	for _, other := range trials {
		if !slices.ContainsFunc(drawn, func(d trial) bool { return d.name == other.name }) {
			t.Run(other.name, func(t *testing.T) { t.Skip(draw.Reason) })
		}
	}
	t.Chdir("../..")
	hotspan, err := built.Hotspan(t.TempDir(), ".")
	if err != nil {
		t.Fatal(err)
	}
	c := &chaos{hotspan: hotspan, seed: uint64(time.Now().UnixNano()), brief: true, hostile: 6 * time.Second}
	t.Logf("seed %d", c.seed)
	results, err := run(c, drawn, 6*time.Second)
	var table bytes.Buffer
	print(&table, results)
	t.Logf("\n%s", &table)
	for _, r := range results {
		t.Logf("%s took %v", r.name, r.took.Round(time.Millisecond))
		for _, err := range r.failed {
			t.Errorf("%s: %v", r.name, err)
		}
	}
	if err != nil {
		t.Error(err)
	}
	if len(results) != len(drawn) {
		t.Errorf("%d trials of %d", len(results), len(drawn))
	}
}
