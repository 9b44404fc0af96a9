package layout

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A name is found at the beginning of a string, at its end, and where it lies across two chunks; a prefix at the
// beginning only.
func TestNamesInStringTable(t *testing.T) {
	b := bytes.Repeat([]byte{'x'}, 3*scanChunk)
	want := map[uint32]string{}
	put := func(at int, before, name, after string) {
		copy(b[at-len(before)-1:], "\x00"+before+name+after+"\x00")
		want[uint32(at)] = name + after
	}
	put(1, "", "_ZN2v81a", "")
	put(100, "longer", "_ZN2v81a", "")
	put(scanChunk-4, "", "_ZN2v81a", "")
	put(scanChunk+300, "behind", "_ZN2v81b", "")
	put(2*scanChunk-10, "", "v8dbg_", "across_chunks")
	put(3*scanChunk-30, "", "v8dbg_", "last")
	copy(b[500:], "\x00_ZN2v81ab\x00other_v8dbg_\x00v8db\x00N2v81a\x00")
	copy(b[900:], "\x00v8dbg_"+strings.Repeat("x", maxSymbolName)+"\x00")
	b = append(b, "_ZN2v81a"...) // does not end
	names := newNameSet([]string{"_ZN2v81a", "_ZN2v81b", "v8dbg_*"})
	if diff := cmp.Diff(want, names.find(bytes.NewReader(b), piece{0, int64(len(b))})); diff != "" {
		t.Error(diff)
	}
	short := names.find(bytes.NewReader(b), piece{0, 1 << 40})
	if diff := cmp.Diff(want, short); diff != "" {
		t.Errorf("a table that is longer than the file:\n%s", diff)
	}
}

func TestNamesInStringTableAreBounded(t *testing.T) {
	b := bytes.Repeat([]byte("_ZN2v81a\x00"), 2*maxHits)
	names := newNameSet([]string{"_ZN2v81a"})
	if n := len(names.find(bytes.NewReader(b), piece{0, int64(len(b))})); n != maxHits {
		t.Errorf("%d names, want the cap %d", n, maxHits)
	}
}

// TestWantedNames: each name that is looked for is long enough to be found.
func TestWantedNames(t *testing.T) {
	for _, name := range wantedSymbols() {
		if !strings.HasSuffix(name, "*") && len(name) < endBytes {
			t.Errorf("%s has %d bytes: it is not found", name, len(name))
		}
	}
}
