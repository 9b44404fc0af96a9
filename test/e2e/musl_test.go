package e2e

import (
	"path/filepath"
	"testing"

	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/npm"
)

// TestMusl: with musl, which is built without unwind rules, stacks are whole, functions and lines are right, and so are
// the labels of jobs of libuv's pool, and those that the npm package hotspan publishes.
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
	app, err := npm.App("../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Run("package", func(t *testing.T) {
		p := start(t, node, "addon.js", nil, []string{"MODE=plain", "THREAD=main", "FORM=record",
			"HOTSPAN=" + filepath.Join(app, "node_modules/hotspan")})
		const enough = 120
		samples := recordEnough(t, p.PID, 1997, 3*enough, publishedFor())
		compareLabels(t, samples, p.truth(t), addonLabels, bound{99.5, enough})
	})
	t.Run("pool", func(t *testing.T) { runPool(t, node, nil, []string{"WORK_ADDON=" + work}) })
}
