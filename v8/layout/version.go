package layout

import (
	"bytes"
	"cmp"
	"fmt"
	"strconv"
)

// Version is a version of V8.
type Version struct{ Major, Minor, Build, Patch int }

// String returns the version as V8 writes it, without the embedder's suffix: "13.6.233.17".
func (v Version) String() string {
	return fmt.Sprintf("%d.%d.%d.%d", v.Major, v.Minor, v.Build, v.Patch)
}

// Compare returns -1 if v is older than w, 0 if they are the same, 1 if v is newer.
func (v Version) Compare(w Version) int {
	return cmp.Or(cmp.Compare(v.Major, w.Major), cmp.Compare(v.Minor, w.Minor),
		cmp.Compare(v.Build, w.Build), cmp.Compare(v.Patch, w.Patch))
}

// maxVersionNumber bounds one number of a version; V8's and Node's have at most four digits.
const maxVersionNumber = 99999

// dotted parses exactly n decimal numbers with dots between them.
func dotted(b []byte, n int) ([]int, bool) {
	parts := bytes.Split(b, []byte("."))
	if len(parts) != n {
		return nil, false
	}
	out := make([]int, n)
	for i, p := range parts {
		v, err := strconv.ParseUint(string(p), 10, 32)
		if err != nil || v > maxVersionNumber {
			return nil, false
		}
		out[i] = int(v)
	}
	return out, true
}

// v is a bound of a rule.
func v(major, minor int) Version { return Version{Major: major, Minor: minor} }
