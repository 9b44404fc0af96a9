package inspect

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/hotspan/hotspan/test/nodes/live"
)

// heldCore is a core of a program that dies in calls of hold, one for each value that it has something to say of.
type heldCore struct {
	core, script string
	held         []held // leaf first
	truth        string // file with what the program says
}

// eachHeld runs a program of testdata on each Node, and has its core checked.
func eachHeld(t *testing.T, program string, check func(*testing.T, heldCore)) {
	t.Helper()
	live.NeedCores(t)
	script, err := filepath.Abs(filepath.Join("testdata", program))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range versions() {
		t.Run(v.Version, func(t *testing.T) {
			c := heldCore{script: script, truth: filepath.Join(t.TempDir(), "truth")}
			c.core = live.Core(t, v.Version, "--abort-on-uncaught-exception", script, c.truth)
			c.held = firstArguments(t, c.core)
			check(t, c)
		})
	}
}

// said returns what the program says of each value, at least so many.
func said[T any](t *testing.T, c heldCore, least int) (want []T) {
	t.Helper()
	if text, err := os.ReadFile(c.truth); err != nil || json.Unmarshal(text, &want) != nil || len(want) < least {
		t.Fatalf("%v: %.500s", err, text)
	}
	if len(c.held) != len(want) {
		t.Fatalf("%d frames hold a value, want %d", len(c.held), len(want))
	}
	return want
}
