package daemon

import (
	"strings"
	"testing"

	"github.com/hotspan/hotspan/pprofx"
)

// TestFileName: two values never have one name, also where one is chosen to be called like the other: a name of its own
// has no hyphen. The hashes are those of sha256sum.
func TestFileName(t *testing.T) {
	const slashes = "732c4e9711639ed1436dd90d3951ca34"
	seen := map[string]string{}
	for value, want := range map[string]string{
		"": "none", pprofx.OtherValue: "other", "none": "none-140bedbf9c3f6d56a9846d2ba7088798",
		"v1.2": "v1.2", "///": "value-" + slashes, "732c4e97": "732c4e97",
		slashes: slashes,
	} {
		got := fileName(value)
		if got != want {
			t.Errorf("%q is called %s, want %s", value, got, want)
		}
		if seen[got] != "" {
			t.Errorf("%q and %q are called %s", value, seen[got], got)
		}
		seen[got] = value
	}
	long := strings.Repeat("a", 200)
	if a, b := fileName(long+"/b"), fileName(long+"/c"); a == b || len(a) > 100 {
		t.Errorf("%s and %s", a, b)
	}
}
