package e2e

import (
	"testing"

	"github.com/hotspan/hotspan/test/nodes"
)

// TestMusl: with musl, which is built without unwind rules, stacks are whole, functions and lines are right, and so are
// the labels of jobs of libuv's pool.
func TestMusl(t *testing.T) {
	node, libraries, err := nodes.Musl()
	if err != nil {
		t.Fatal(err)
	}
	headers, err := nodes.Path("26.0.0")
	if err != nil {
		t.Fatal(err)
	}
	work := addon(t, headers, "work.c")
	t.Setenv("LD_LIBRARY_PATH", libraries)
	t.Run("kinds", func(t *testing.T) { checkKinds(t, node) })
	t.Run("pool", func(t *testing.T) { runPool(t, node, nil, []string{"WORK_ADDON=" + work}) })
}
