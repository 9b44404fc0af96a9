package layout

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/test/nodes"
)

var update = flag.Bool("update", false, "write the golden files of the Node binaries that are there")

// layouts are those that were read for another test; a Layout is not changed after that.
var layouts = map[string]*Layout{}

// readNode reads the layout of a version of test/nodes.json.
func readNode(t testing.TB, version string) (*Layout, *os.File) {
	t.Helper()
	path, err := nodes.Path(version)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	l := layouts[version]
	if l == nil {
		if l, err = Read(f); err != nil {
			t.Fatal(err)
		}
		layouts[version] = l
	}
	return l, f
}

func goldenPath(version string) string {
	return filepath.Join("testdata", "golden", version+".txt")
}

// TestGolden compares with the binaries of test/nodes.json. The other golden files are of releases whose V8 has rules
// of its own, for the tests of the table: hotspan layout wrote them, and make releases tries the binaries.
func TestGolden(t *testing.T) {
	for _, v := range nodes.Versions() {
		l, _ := readNode(t, v.Version)
		compareGolden(t, l)
	}
}

func compareGolden(t *testing.T, l *Layout) {
	t.Helper()
	var got bytes.Buffer
	if err := l.Write(&got); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(goldenPath(l.Node), got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(goldenPath(l.Node))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); diff != "" {
		t.Errorf("node %s differs from its golden file (-want +got):\n%s", l.Node, diff)
	}
}
