package terminal

import (
	"testing"
)

func TestPrintable(t *testing.T) {
	if got := Printable("a\x1b[2J\n\u009b\u202eß"); got != "a [2J   ß" {
		t.Errorf("%q", got)
	}
	if got := Shorten("äöüß", 3); got != "äö…" {
		t.Errorf("%q", got)
	}
}
