package layout

import "fmt"

// row says how one field is found. Its sources are believed in this order: machine code, constants, rules.
type row struct {
	field Field
	code  *accessor
	// dbg names debugger constants without their prefix; the first that the binary has counts. The value is
	// constant*scale + add, with a scale of 0 meaning 1, and the value of another field more if there is one.
	dbg   []string
	scale int64
	add   int64
	of    Field  // 0, Isolate.tls, is none
	why   string // of scale and add: V8's source file, and the reason
	rules []rule
}

// origin writes a constant with what was done to it: "v8dbg_prop_desc_size * 8 (why)".
func (r row) origin(name string) string {
	s := dbgPrefix + name
	if r.scale != 0 {
		s += fmt.Sprintf(" * %d", r.scale)
	}
	if r.add != 0 {
		s += fmt.Sprintf(" + %d", r.add)
	}
	if r.of != 0 {
		s += fmt.Sprintf(" + %s", r.of)
	}
	if r.why != "" {
		s += " (" + r.why + ")"
	}
	return s
}

// rule gives a value for V8 versions from <= V8 < below; a zero Version is no bound.
type rule struct {
	from, below Version
	n           int64
	of          Field // with relative: n is added to the value of this field
	relative    bool
	absent      bool   // this V8 has none
	why         string // V8's source file, and the reason
}

func (r rule) covers(v Version) bool {
	return v.Compare(r.from) >= 0 && (r.below == Version{} || v.Compare(r.below) < 0)
}

// always is the rule of a field that is the same in all versions known.
func always(n int64, why string) []rule { return []rule{{n: n, why: why}} }

// after is the rule of a field that stands at a fixed distance from another.
func after(f Field, n int64, why string) []rule {
	return []rule{{of: f, n: n, relative: true, why: why}}
}

// dbg is a row that has a constant in every version known.
func dbg(f Field, names ...string) row { return row{field: f, dbg: names} }

// fixed is a row without a constant that is the same in every version known.
func fixed(f Field, n int64, why string) row { return row{field: f, rules: always(n, why)} }

// word is the size of a tagged word in the builds that are read: no pointer compression.
const word = 8

// origin names a rule with the versions it holds for: "rule V8 >= 14.1: src/...".
func (r rule) origin() string {
	s := "rule"
	if (r.from != Version{}) {
		s += fmt.Sprintf(" V8 >= %d.%d", r.from.Major, r.from.Minor)
	}
	if (r.below != Version{}) {
		s += fmt.Sprintf(" V8 < %d.%d", r.below.Major, r.below.Minor)
	}
	if r.relative {
		s += fmt.Sprintf(" %s %+d", r.of, r.n)
	}
	return s + ": " + r.why
}
