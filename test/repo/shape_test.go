package repo

import (
	"bytes"
	"go/format"
	"path"
	"slices"
	"strings"
	"testing"
)

// maxLines bounds a hand-written file. The median is about 100.
const maxLines = 500

// Folder names that do not say what is in the folder.
var emptyNames = []string{"util", "utils", "common", "types", "manager", "managers", "helper", "helpers", "misc"}

func TestFolderNames(t *testing.T) {
	for _, name := range files(t) {
		for _, folder := range strings.Split(path.Dir(name), "/") {
			if slices.Contains(emptyNames, folder) {
				t.Errorf("%s: the folder name %q does not say what is in it", name, folder)
			}
		}
	}
}

func TestFileLength(t *testing.T) {
	for _, name := range files(t) {
		b := read(t, name)
		if !isText(b) || isData(name, b) {
			continue
		}
		if n := bytes.Count(b, []byte("\n")); n > maxLines {
			t.Errorf("%s has %d lines, the limit is %d", name, n, maxLines)
		}
	}
}

func TestFormat(t *testing.T) {
	for _, name := range withSuffix(t, ".go") {
		b := read(t, name)
		formatted, err := format.Source(b)
		switch {
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case !bytes.Equal(b, formatted):
			t.Errorf("%s is not formatted: run gofmt -w on it", name)
		}
	}
}
