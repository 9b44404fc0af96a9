package layout

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"github.com/hotspan/hotspan/test/nodes"
)

// officialFrom is the first V8 whose tables became local symbols in some release.
var officialFrom = v(13, 6)

// TestOfficial compares the tables that are kept with those of each official binary that has symbols: all builds of one
// V8 have the same.
func TestOfficial(t *testing.T) {
	for _, version := range nodes.Versions() {
		l, _ := readNode(t, version.Version)
		if l.V8.Compare(officialFrom) < 0 {
			continue
		}
		text := fmt.Sprintf("bytecodes %x\noperands %x\nhandlers %x\n", l.BytecodeSizes, l.TranslationOperands,
			l.Handlers)
		if *update {
			if err := os.WriteFile(officialPath(l.V8), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if !bytes.Equal(official(l.V8, "bytecodes"), l.BytecodeSizes) ||
			!bytes.Equal(official(l.V8, "operands"), l.TranslationOperands) ||
			!bytes.Equal(official(l.V8, "handlers"), l.Handlers) {
			t.Errorf("node %s: %s has other tables than the binary", version.Version, officialPath(l.V8))
		}
	}
}
