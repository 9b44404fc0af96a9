package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestReplaceBetween(t *testing.T) {
	got, err := replaceBetween("a\n"+beginMarker+"\nold\n"+endMarker+"\nb\n", "\nnew\n")
	if want := "a\n" + beginMarker + "\n\nnew\n\n" + endMarker + "\nb\n"; err != nil || got != want {
		t.Errorf("got %q, error %v; want %q", got, err, want)
	}
	again, err := replaceBetween(got, "new")
	if err != nil || again != got {
		t.Errorf("the same text once more: %q, error %v; want no change", again, err)
	}
	for _, bad := range []string{"", beginMarker, endMarker, endMarker + beginMarker,
		beginMarker + endMarker + beginMarker} {
		if got, err := replaceBetween(bad, "new"); err == nil {
			t.Errorf("%q became %q, want an error", bad, got)
		}
	}
}

// TestCostDocument: the document has the markers, and is left as it is by an error.
func TestCostDocument(t *testing.T) {
	b, err := os.ReadFile("../../docs/cost.md")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "cost.md")
	if err := os.WriteFile(file, b, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := writeDocument(file, "new"); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(file, []byte("no markers"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := writeDocument(file, "new"); err == nil {
		t.Error("a document without markers is written")
	}
	if b, _ := os.ReadFile(file); string(b) != "no markers" {
		t.Errorf("the document became %q", b)
	}
}
