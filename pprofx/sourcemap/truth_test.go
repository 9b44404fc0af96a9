package sourcemap

import (
	"bytes"
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// programs is where scripts and maps of several tools are. positions.jsonl has what another reader of source maps,
// @jridgewell/trace-mapping, says of them.
const programs = "../../test/programs/sourcemaps"

type positions struct {
	Script    string
	Sources   []string
	Positions [][]int
	Names     [][3]any
}

var comment = regexp.MustCompile(`(?m)^//# sourceMappingURL=(\S+)$`)

// mapOf reads the map that a script of programs names, as if the folder were /base.
func mapOf(t testing.TB, script string) *Map {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(programs, script))
	if err != nil {
		t.Fatal(err)
	}
	u, base := string(comment.FindSubmatch(text)[1]), path.Join("/base", script)
	var b []byte
	if IsInline(u) {
		b, err = Inline(u)
	} else if base, err = File(base, u); err == nil {
		b, err = os.ReadFile(filepath.Join(programs, strings.TrimPrefix(base, "/base/")))
	}
	if err != nil {
		t.Fatal(err)
	}
	m, err := Parse(b, base)
	if err != nil {
		t.Fatalf("%s: %v", script, err)
	}
	return m
}

func TestAgainstTraceMapping(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(programs, "dist/positions.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	scripts, named := 0, 0
	for line := range bytes.Lines(b) {
		var want positions
		if err := json.Unmarshal(line, &want); err != nil {
			t.Fatal(err)
		}
		m := mapOf(t, want.Script)
		wrong := 0
		for _, p := range want.Positions {
			got, ok := m.At(p[0], p[1])
			var right bool
			if p[2] < 0 {
				right = !ok
			} else {
				right = ok && got == Position{strings.TrimPrefix(want.Sources[p[2]], "file://"), p[3], p[4]}
			}
			if !right && wrong < 3 {
				wrong++
				t.Errorf("%s: %v: %+v %v of %v", want.Script, p, got, ok, want.Sources)
			}
		}
		for _, n := range want.Names {
			line, column := int(n[0].(float64)), int(n[1].(float64))
			if got := m.NameAt(line, column); got != n[2] {
				t.Errorf("%s:%d:%d: name %q, want %q", want.Script, line, column, got, n[2])
			}
		}
		scripts++
		named += len(want.Names)
	}
	if scripts < 14 || named < 200 {
		t.Errorf("%d scripts with %d names: the comparison means nothing", scripts, named)
	}
}
