package page

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/page"
	"github.com/hotspan/hotspan/test/nodes"
)

// step is what the page shows after a step of page.mjs.
type step struct {
	Samples   []int64 // of the selection, and of what it is compared with
	Groups    []group
	Functions []function
	Fragment  string
	Lost      string
	Found     string // by the search
	Said      string // of the frame under the pointer, or with the focus
	ID        string // of the trace that is shown
	Summary   string // of it
	Frames    int    // of its first sample
	Text      string // of the view of losses
	Shares    [][]string
	Stalls    [][]string
}

type group struct {
	Name    string
	Samples int64
	Classes string // such as "js 61.0 %, gc 39.0 %"
}

type function struct {
	Name, Place string
	Own, Total  int64
}

// did is what page.mjs prints.
type did struct {
	Steps map[string]*step
	Harm  struct {
		Done, Connected bool
		Elements        int
	}
	Refused bool // a connection, by the policy of the page
	Wrong   []string
}

func write(t testing.TB, snapshots []*pprofx.Snapshot) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "x.html")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := page.NewWriter(f)
	for _, s := range snapshots {
		if err := w.Add(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return name
}

func run(t testing.TB, into any, args ...string) {
	t.Helper()
	node, err := nodes.Path("24.21.0")
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(node, args...).Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		t.Fatalf("%v: %v\n%s", args, err, failed.Stderr)
	} else if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out, into); err != nil {
		t.Fatalf("%v: %v: %s", args, err, out)
	}
}

// TestPage: what a person sees after each step is what package report says of the same samples.
func TestPage(t *testing.T) {
	snapshots := recording(t)
	var page did
	run(t, &page, "page.mjs", write(t, snapshots), os.Getenv("HOTSPAN_SCREENSHOTS"))
	of := func(name string) *step {
		t.Helper()
		s := page.Steps[name]
		if s == nil {
			t.Fatalf("no step %q", name)
		}
		return s
	}
	if len(page.Wrong) > 0 {
		t.Errorf("the page complains or connects: %q", page.Wrong)
	}
	if page.Harm.Done || page.Harm.Connected || page.Harm.Elements > 0 || !page.Refused {
		t.Errorf("a name or a script can do harm: %+v, refused %v", page.Harm, page.Refused)
	}
	t.Run("whole", func(t *testing.T) { compareWhole(t, snapshots, of) })
	ranges := of("range").ranges(t)
	a := ranges["a"]
	if length := float64(a.to-a.from) / (seconds * 1e6); length < 0.37 || length > 0.43 {
		t.Errorf("dragged over 0.4 of the time, selected %.3f", length)
	}
	t.Run("range", func(t *testing.T) { compareRange(t, snapshots, a, of) })
	t.Run("ranges", func(t *testing.T) { compareRanges(t, snapshots, of) })
	t.Run("address", func(t *testing.T) { compareAddress(t, of) })
	t.Run("comparison", func(t *testing.T) {
		s := of("two ranges")
		b := s.ranges(t)["b"]
		want := []int64{a.report(snapshots, "").Samples, b.report(snapshots, "").Samples}
		if diff := gocmp.Diff(want, s.Samples); diff != "" || b.from <= a.to {
			t.Errorf("%+v and %+v: %s", a, b, diff)
		}
		compareShares(t, s, a.report(snapshots, ""), b.report(snapshots, ""))
	})
	t.Run("graph", func(t *testing.T) { compareGraph(t, snapshots, of) })
	t.Run("stall", func(t *testing.T) { compareStall(t, snapshots, of("stall")) })
	t.Run("trace", func(t *testing.T) { compareTrace(t, snapshots, of) })
}
