package sourcemaps

import (
	"bytes"
	"errors"
	"io/fs"
	"path"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/stack"
)

var errOtherText = errors.New("the script that runs is not the one in its file now: " +
	"it was built again, or changed as it was loaded")

// sameText checks that a script's file still has the text that runs: if it was built again, so was its map, which would
// give wrong names. Without the file the map is accepted.
func sameText(root *procs.RootDir, s stack.MappedScript) error {
	if !path.IsAbs(s.Script.Name) || s.Source == nil {
		return nil
	}
	f, _, err := root.Open(s.Script.Name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	b, err := procs.ReadAll(f, 3*s.Source.Len()+len(byteOrderMark)) // a UTF-16 unit takes 3 bytes of UTF-8 at most
	if errors.Is(err, procs.ErrTooLong) || err == nil && !isText(b, s.Source) {
		return errOtherText
	}
	return err
}

// Node.js wraps a CommonJS module in this text if something has changed Module.wrap. The map is of the text inside.
// (lib/internal/modules/cjs/loader.js)
const (
	wrapperHead = "(function (exports, require, module, __filename, __dirname) { "
	wrapperTail = "\n});"
)

// unwrap removes Node's wrapper from a module's text.
func unwrap(t *heap.Text) (*heap.Text, bool) {
	const head, tail = len(wrapperHead), len(wrapperTail)
	if t == nil || t.Len() < head+tail {
		return nil, false
	}
	end := t.Len() - tail
	if t.Two == nil {
		ok := string(t.One[:head]) == wrapperHead && string(t.One[end:]) == wrapperTail
		return &heap.Text{One: t.One[head:end]}, ok
	}
	first, last := heap.Text{Two: t.Two[:head]}, heap.Text{Two: t.Two[end:]}
	return &heap.Text{Two: t.Two[head:end]}, first.String() == wrapperHead && last.String() == wrapperTail
}

const byteOrderMark = "\xef\xbb\xbf"

// isText reports whether b may be a text of V8's in UTF-8. It is true for b that is not valid UTF-8.
func isText(b []byte, t *heap.Text) bool {
	if !utf8.Valid(b) {
		return true
	}
	b = bytes.TrimPrefix(b, []byte(byteOrderMark))
	if t.Two == nil {
		return string(b) == strings.TrimPrefix(t.String(), "\ufeff")
	}
	two := t.Two
	if len(two) > 0 && two[0] == 0xfeff {
		two = two[1:]
	}
	n := 0
	var units [2]uint16
	for _, r := range string(b) {
		for _, u := range utf16.AppendRune(units[:0], r) {
			if n == len(two) || two[n] != u {
				return false
			}
			n++
		}
	}
	return n == len(two)
}
