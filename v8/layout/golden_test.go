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

// readNode reads the layout of a version of test/nodes.json.
func readNode(t testing.TB, version string) (*Layout, *os.File) {
	t.Helper()
	path, err := nodes.Path(version)
	if err != nil {
		t.Fatal(err)
	}
	return readFile(t, path)
}

func readFile(t testing.TB, path string) (*Layout, *os.File) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	l, err := Read(f)
	if err != nil {
		t.Fatal(err)
	}
	return l, f
}

func goldenPath(version string) string {
	return filepath.Join("testdata", "golden", version+".txt")
}

func TestGolden(t *testing.T) {
	for _, v := range nodes.Versions() {
		l, _ := readNode(t, v.Version)
		compareGolden(t, l)
	}
}

// TestGoldenOthers compares the versions that are no part of test/nodes.json where the cache happens to have them.
func TestGoldenOthers(t *testing.T) {
	for _, version := range []string{"20.20.2", "23.11.1", "24.10.0", "25.9.0"} {
		if l := readIfThere(t, version); l != nil {
			compareGolden(t, l)
		}
	}
}

// readIfThere reads a version of test/nodes.json, or another one if the cache has it; else it logs and returns nil.
func readIfThere(t *testing.T, version string) *Layout {
	t.Helper()
	for _, v := range nodes.Versions() {
		if v.Version == version {
			l, _ := readNode(t, version)
			return l
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(cache, "hotspan", "node", version, "bin", "node")
	if _, err := os.Stat(path); err != nil {
		t.Logf("node %s: not in the cache, not compared", version)
		return nil
	}
	l, _ := readFile(t, path)
	return l
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
