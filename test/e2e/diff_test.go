package e2e

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/nodes"
)

// TestDiff: of two recordings of the same program none is dearer; of a third one the function that does more.
func TestDiff(t *testing.T) {
	draw.Half(t, seldom)
	t.Parallel()
	list := nodes.Thorough()
	node, err := nodes.Path(list[len(list)-1].Version)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	recorded := func(name string, env ...string) string {
		p := start(t, node, "shares.js", []string{"--single-threaded"}, env)
		file := filepath.Join(dir, name+".otlp")
		r := run(t, "record", "-p", strconv.Itoa(p.PID), "-F", "499", "-d", "8s", "-o", file)
		if r.Code != 0 {
			t.Fatalf("hotspan ended with %d: %s", r.Code, r.Stderr)
		}
		p.Kill()
		return file
	}
	before, same, heavier := recorded("old"), recorded("same", "SEED=2"), recorded("heavier", "HEAVIER=objects")
	r := run(t, "diff", "--per", "cpu", "--fail-on", "20%", before, same)
	if r.Code != 0 {
		t.Errorf("the same program: %d, %s", r.Code, r.Stderr)
	}
	r = run(t, "diff", "--per", "cpu", "--fail-on", "20%", before, heavier)
	if r.Code != 1 || !strings.Contains(r.Stderr, "function objects (shares/burners.js)") ||
		strings.Count(r.Stderr, "at least") != 1 {
		t.Errorf("a heavier one: %d, %s", r.Code, r.Stderr)
	}
}
