// Package results keeps what commands have tried in files of the repository, a line of JSON each, and puts the figures
// that are made of them into documents.
package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
)

// Read reads a file of results. Where there is none, there are none.
func Read[T any](name string) (out []T, err error) {
	b, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	for {
		var r T
		if err := d.Decode(&r); errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", name, len(out)+1, err)
		}
		out = append(out, r)
	}
}

// Write writes a file of results anew.
func Write[T any](name string, all []T) error {
	var b bytes.Buffer
	lines := json.NewEncoder(&b)
	lines.SetEscapeHTML(false)
	for _, r := range all {
		if err := lines.Encode(r); err != nil {
			return err
		}
	}
	return os.WriteFile(name, b.Bytes(), 0o644)
}

// Put replaces what matches figures in a document.
func Put(document string, figures *regexp.Regexp, text string) error {
	old, err := os.ReadFile(document)
	if err != nil {
		return err
	}
	if !figures.Match(old) {
		return fmt.Errorf("%s has nothing that matches %v", document, figures)
	}
	return os.WriteFile(document, figures.ReplaceAllLiteral(old, []byte(text)), 0o644)
}
