package sourcemaps

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"path"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/v8/functions"
	"github.com/hotspan/hotspan/v8/heap"
)

var errOtherText = errors.New("the script that runs is not the one in its file now: " +
	"it was built again, or changed as it was loaded")

var errNoText = errors.New("the text of the script that runs cannot be read: it may be of another build")

// sameText checks that a script's file still has the text that runs: if it was built again, so was its map, which would
// give wrong names. Without the file the map is accepted.
func sameText(root *procs.RootDir, s functions.MappedScript) error {
	if !path.IsAbs(s.Script.Name) {
		return nil
	}
	f, _, err := root.Open(s.Script.Name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer procs.Close(f)
	if s.Source == nil {
		return errNoText
	}
	most := int64(3*s.Source.Len() + len(byteOrderMark)) // a UTF-16 unit takes 3 bytes of UTF-8 at most
	text := bufio.NewReaderSize(io.NewSectionReader(procs.NewTimed(f), 0, most+1), pieceSize)
	same, err := isText(text, most, s.Source)
	if err == nil && !same {
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

// isText reports whether what r reads, of at most so many bytes, may be a text of V8's in UTF-8. It is true for what is
// not valid UTF-8. Neither is copied: a process may have texts as long as it likes.
func isText(r io.RuneReader, most int64, t *heap.Text) (bool, error) {
	n, length, same, valid := 0, int64(0), true, true
	if t.Len() > 0 && unitOf(t, 0) == 0xfeff {
		n++
	}
	for first := true; ; first = false {
		c, size, err := r.ReadRune()
		switch length += int64(size); {
		case errors.Is(err, io.EOF):
			return !valid || same && n == t.Len(), nil
		case err != nil || length > most:
			return false, err
		case c == utf8.RuneError && size == 1:
			valid = false
		case first && c == 0xfeff:
			continue
		}
		var units [2]uint16
		for _, u := range utf16.AppendRune(units[:0], c) {
			same = same && n < t.Len() && unitOf(t, n) == u
			n++
		}
	}
}

// unitOf is a UTF-16 unit of a text.
func unitOf(t *heap.Text, n int) uint16 {
	if t.Two != nil {
		return t.Two[n]
	}
	return uint16(t.One[n])
}
