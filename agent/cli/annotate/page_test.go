package annotate

import (
	"bytes"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/agent/internal/jitcode"
	"github.com/hotspan/hotspan/agent/internal/jitdump"
)

// TestPageRows: a page has so many lines of a piece, and says how many it leaves out.
func TestPageRows(t *testing.T) {
	const size = maxPageRows + 1000
	var b bytes.Buffer
	code := jitdump.Code{Name: "f", Bytes: bytes.Repeat([]byte{0x90}, size)}
	p := jitcode.Copied{Piece: jitcode.Piece{Function: "f", Size: size}, Machine: jitdump.X86_64, Code: &code}
	if err := writeCodePage(&b, []jitcode.Copied{p}, 0, 0, "", false); err != nil {
		t.Fatal(err)
	}
	lines := strings.Count(b.String(), "<tr") - 1
	if want := "<p>… and 1001 more lines</p>"; lines != maxPageRows || !strings.Contains(b.String(), want) {
		t.Errorf("%d lines, want %d and %q", lines, maxPageRows, want) // one of them says that no line is known
	}
}
