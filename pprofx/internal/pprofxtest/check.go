// Package pprofxtest makes samples and snapshots for the tests of package pprofx and of its formats.
package pprofxtest

import (
	"testing"

	"github.com/hotspan/hotspan/pprofx"
)

// CheckDistinct fails if two of all have the same text.
func CheckDistinct[T any](t *testing.T, what string, all []T, text func(T) string) {
	t.Helper()
	seen := map[string]bool{}
	for _, x := range all {
		if k := text(x); seen[k] {
			t.Fatalf("%s: %s twice", what, k)
		} else {
			seen[k] = true
		}
	}
}

// AddAll adds snapshots and closes the file.
func AddAll(t *testing.T, w pprofx.Writer, snapshots ...*pprofx.Snapshot) {
	t.Helper()
	for _, s := range snapshots {
		if err := w.Add(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}
