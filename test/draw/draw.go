// Package draw says which part of the tests that take long is run for a commit: what the variable DRAW of the
// environment, such as the commit's hash, draws. Without DRAW all of them run.
package draw

import (
	"hash/fnv"
	"os"
	"slices"
	"testing"
)

// Share returns each of-th one of a list, or all of it without DRAW. The text and the name of the list decide with
// which of the first it begins: sorted by how long they take, each share takes about as long.
func Share[T any](list []T, of int, name string) []T { return share(list, of, os.Getenv("DRAW"), name) }

func share[T any](list []T, of int, text, name string) (out []T) {
	if text == "" || len(list) == 0 {
		return list
	}
	h := fnv.New32a()
	h.Write([]byte(text + name))
	for i := int(h.Sum32()>>16) % min(of, len(list)); i < len(list); i += of {
		out = append(out, list[i])
	}
	return out
}

// Reason is what a test says that is not drawn, by which test/repo/gotest knows it.
const Reason = "DRAW has not drawn this one"

// Quarter skips a test unless it is in the quarter of a list of tests that is drawn. Neighbours in the list take about
// as long.
func Quarter(t *testing.T, list []string) {
	t.Helper()
	if !slices.Contains(list, t.Name()) {
		t.Fatal("it is not in the list")
	}
	if !slices.Contains(Share(list, 4, list[0]), t.Name()) {
		t.Skip(Reason)
	}
}

// Seldom skips a test that takes long, and that concerns few changes, but in a quarter of the draws: Quarter for a test
// that has no neighbours.
func Seldom(t *testing.T) {
	t.Helper()
	if runs := []bool{true, false, false, false}; !Share(runs, len(runs), t.Name())[0] {
		t.Skip(Reason)
	}
}
