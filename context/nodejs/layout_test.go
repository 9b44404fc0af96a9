package nodejs

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	nodeVersion = regexp.MustCompile(`^(\d+)(?:\.(\d+))?$`)
	nodeSource  = regexp.MustCompile(`^(?:src/|libstdc\+\+, bits/)\w+\.h: \w`)
)

// ordinal makes versions comparable; 0 is for a text that is none.
func ordinal(version string) int {
	m := nodeVersion.FindStringSubmatch(version)
	if m == nil {
		return 0
	}
	major, _ := strconv.Atoi(m[1])
	minor, _ := strconv.Atoi(m[2])
	return major<<16 + minor
}

// Each number has a name, a source with a reason, and a range of versions.
func TestNodeLayout(t *testing.T) {
	if want := int(workEnvironment) + 1; len(table) != want {
		t.Errorf("%d rows, want one for each of %d fields", len(table), want)
	}
	for f, row := range table {
		if field(f) == noField {
			continue
		}
		if row.what == "" || !nodeSource.MatchString(row.why) || strings.HasSuffix(row.why, ": ") {
			t.Errorf("field %d: %q without a name or a source: %q", f, row.what, row.why)
		}
		if ordinal(row.from) == 0 || row.below != "" && ordinal(row.below) <= ordinal(row.from) {
			t.Errorf("%s: versions from %q, below %q", row.what, row.from, row.below)
		}
	}
}
