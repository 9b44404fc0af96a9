package e2e

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/nodes"
)

// TestDiff: of two recordings of the same program none is dearer; of a third one the function that does more. What is
// certain takes samples.
func TestDiff(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	list := nodes.Thorough()
	node, err := nodes.Path(list[len(list)-1].Version)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	recorded := func(name string, env ...string) string {
		p := start(t, node, "shares.js", []string{"--single-threaded"}, append(env, "DURATION_MS=600000"))
		file := filepath.Join(dir, name+".otlp")
		untilEnough(t, func(times int) bool {
			r := run(t, "record", "-p", strconv.Itoa(p.PID), "-F", "499", "-d", fmt.Sprint(8*times, "s"), "-o", file)
			if r.Code != 0 {
				t.Fatalf("hotspan ended with %d: %s", r.Code, r.Stderr)
			}
			_, written, _ := taken(t, r.Stderr)
			return written >= 1000
		})
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
