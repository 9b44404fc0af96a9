package bpf

import (
	"os"
	"regexp"
	"testing"
)

// TestReadsOfRules: what rules read of an AsyncContextFrame is in a part of the heap, or is known not to be: another
// read would let a sample repeat what the one before said, whatever has changed (repeat.h).
func TestReadsOfRules(t *testing.T) {
	other := regexp.MustCompile(`\bread_(user|unset|object|whole)\(.*`)
	for _, name := range []string{
		"names.h", "named_store.h", "plan.h", "repeat.h", "rules.h", "shape.h", "table.h", "text.h", "value.h",
	} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, read := range other.FindAll(text, -1) {
			t.Errorf("%s: %s", name, read)
		}
	}
}
