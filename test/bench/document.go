package main

import (
	"fmt"
	"os"
	"strings"
)

// What a document has around the part that the benchmark writes. The prose outside is written by hand.
const (
	beginMarker = "<!-- make bench BENCH_WRITE=1 writes what follows, up to the next such comment -->"
	endMarker   = "<!-- the end of what make bench writes -->"
)

// replaceBetween puts text between the markers of a document, in place of what is there.
func replaceBetween(document, text string) (string, error) {
	before, rest, begins := strings.Cut(document, beginMarker)
	_, after, ends := strings.Cut(rest, endMarker)
	if !begins || !ends || strings.Contains(after, beginMarker) {
		return "", fmt.Errorf("the lines %q and %q are not there once each", beginMarker, endMarker)
	}
	return before + beginMarker + "\n\n" + strings.Trim(text, "\n") + "\n\n" + endMarker + after, nil
}

// writeDocument replaces the part of a file between the markers.
func writeDocument(path, text string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	document, err := replaceBetween(string(b), text)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, []byte(document), 0o644)
}
