package layout

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// goldens returns the text of each golden file with the V8 version it is of.
func goldens(t *testing.T) map[Version]string {
	t.Helper()
	paths, err := filepath.Glob(goldenPath("*"))
	if err != nil || len(paths) < 3 {
		t.Fatalf("golden files: %v, %v", paths, err)
	}
	out := map[Version]string{}
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		fields := strings.Fields(string(b)) // node X v8 Y
		n, ok := dotted([]byte(fields[3]), 4)
		if !ok {
			t.Fatalf("%s: no V8 version", p)
		}
		out[Version{n[0], n[1], n[2], n[3]}] = string(b)
	}
	return out
}

func TestEachFieldHasOneRow(t *testing.T) {
	seen := map[Field]bool{}
	for _, r := range table {
		if seen[r.field] {
			t.Errorf("%s has two rows", r.field)
		}
		seen[r.field] = true
		for _, rule := range r.rules {
			if rule.relative && !seen[rule.of] {
				t.Errorf("%s refers to %s, whose row comes later", r.field, rule.of)
			}
		}
	}
	for f := range NumFields {
		if !seen[f] {
			t.Errorf("%s has no row", f)
		}
	}
}

func TestNamesAreUnique(t *testing.T) {
	seen := map[string]Field{}
	for f := range NumFields {
		if other, ok := seen[f.String()]; ok || f.String() == "" {
			t.Errorf("field %d: name %q is that of field %d, or empty", f, f, other)
		}
		seen[f.String()] = f
	}
	if got := NumFields.String(); !strings.HasPrefix(got, "Field(") {
		t.Errorf("NumFields.String() = %q", got)
	}
}

func TestEachConstantOccursInABinary(t *testing.T) {
	all := ""
	for _, g := range goldens(t) {
		all += g + "\n"
	}
	for _, r := range table {
		for _, name := range r.dbg {
			if !strings.Contains(all, " "+dbgPrefix+name+" ") && !strings.Contains(all, " "+dbgPrefix+name+"\n") {
				t.Errorf("%s: no golden layout has its value from %s%s", r.field, dbgPrefix, name)
			}
		}
	}
}

func TestEachRuleIsOfUseAndSaysWhy(t *testing.T) {
	versions := goldens(t)
	for _, r := range table {
		if (r.scale != 0 || r.add != 0) && !citesV8(r.why) {
			t.Errorf("%s: scale or add without a V8 source file: %q", r.field, r.why)
		}
		for i, rule := range r.rules {
			if !citesV8(rule.why) {
				t.Errorf("%s: rule %d cites no V8 source file: %q", r.field, i, rule.why)
			}
			used := 0
			for v := range versions {
				if rule.covers(v) {
					used++
				}
			}
			if used == 0 {
				t.Errorf("%s: rule %d (%s) is for no version that has a golden layout", r.field, i, rule.origin())
			}
		}
	}
}

func citesV8(why string) bool {
	file, rest, ok := strings.Cut(why, ": ")
	return ok && rest != "" && (strings.HasPrefix(file, "src/") || strings.HasPrefix(file, "include/"))
}

func TestOldestAndNewest(t *testing.T) {
	low, high := newest, oldest
	for version := range goldens(t) {
		minor := v(version.Major, version.Minor)
		if minor.Compare(low) < 0 {
			low = minor
		}
		if minor.Compare(high) > 0 {
			high = minor
		}
	}
	if low != oldest || high != newest {
		t.Errorf("golden layouts are of V8 %s to %s, the table was checked with %s to %s", low, high, oldest, newest)
	}
}

// Two rules of one row for the same version would hide one of them.
func TestRulesDoNotOverlap(t *testing.T) {
	for v := range goldens(t) {
		for _, r := range table {
			n := 0
			for _, rule := range r.rules {
				if rule.covers(v) {
					n++
				}
			}
			if n > 1 {
				t.Errorf("%s: %d rules for V8 %s", r.field, n, v)
			}
		}
	}
}
