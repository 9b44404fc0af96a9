package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/truth/judge"
)

// TestRefuted: README holds for a release or does not, by all of its programs together.
func TestRefuted(t *testing.T) {
	share := func(part, whole int) judge.Share { return judge.Share{Part: part, Whole: whole} }
	for _, tt := range []struct {
		what   string
		change func(*row)
		holds  bool
	}{
		{"all is right", func(*row) {}, true},
		{"99.71 % of functions", func(r *row) { r.right = share(19913, 20000) }, true},
		{"99.70 % of functions", func(r *row) { r.right = share(19910, 20000) }, false},
		{"a wrong function", func(r *row) { r.wrong = share(1, 20000) }, false},
		{"a wrong label", func(r *row) { r.wrongLabels = share(1, 20000) }, false},
		{"a caller's line", func(r *row) { r.line = share(9000, 10000) }, true},
		{"many samples at edges", func(r *row) { r.edge = share(500, 20000) }, false},
		{"a program that was not measured", func(r *row) { r.failed = true }, false},
	} {
		rows := []*row{{version: "24.21.0", profiler: "hotspan", program: "a", right: share(10000, 10000)},
			{version: "24.21.0", profiler: "hotspan", program: "b"}}
		tt.change(rows[1])
		if got := !report(io.Discard, rows); got != tt.holds {
			t.Errorf("%s: README holds: %v", tt.what, got)
		}
	}
}

// TestClaims: README says what the table is asked for, and docs/accuracy.md has a table for which it holds.
func TestClaims(t *testing.T) {
	said := strings.Join(strings.Fields(document(t, "README.md")), " ")
	want := fmt.Sprintf("on %d releases of Node no function and no label was wrong, and more than %v %% of the "+
		"innermost functions were right", len(nodes.Versions()), claims["leaf function right"])
	if !strings.Contains(said, want) {
		t.Errorf("README does not say: %s", want)
	}
	if claims["functions wrong"] != 0 || claims["labels wrong"] != 0 {
		t.Errorf("README says none: %v", claims)
	}
	releases := map[string]bool{}
	for _, row := range measured(t) {
		releases[row["Node"]] = true
		for name, claim := range claims {
			got, err := strconv.ParseFloat(row[name], 64)
			few := claim == 0
			if err != nil || few && got > claim || !few && got <= claim {
				t.Errorf("docs/accuracy.md, %s: %s: %q, README says %v", row["Node"], name, row[name], claim)
			}
		}
	}
	if len(releases) != len(nodes.Versions()) {
		t.Errorf("docs/accuracy.md has %d releases", len(releases))
	}
}

func document(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile("../../../" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// measured are hotspan's rows of the table in docs/accuracy.md, by the names of its columns.
func measured(t *testing.T) (rows []map[string]string) {
	t.Helper()
	var names []string
	for line := range strings.Lines(document(t, "docs/accuracy.md")) {
		cells := strings.Split(strings.Trim(line, "| \n"), " | ")
		switch {
		case cells[0] == "Node":
			names = cells
		case len(cells) == len(names) && cells[1] == "hotspan":
			row := map[string]string{}
			for i, name := range names {
				row[name] = cells[i]
			}
			rows = append(rows, row)
		}
	}
	return rows
}
