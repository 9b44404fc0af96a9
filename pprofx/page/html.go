package page

import (
	"bufio"
	"compress/gzip"
	_ "embed" // page.html.gz
	"encoding/base64"
	"errors"
	"io"
	"strings"
	"sync"
)

//go:generate go run ./pack

//go:embed page.html.gz
var packed string

// shell is the page without its data.
type shell struct{ before, after string }

// theShell is the same for all pages.
var theShell = sync.OnceValue(func() shell {
	r, err := gzip.NewReader(strings.NewReader(packed))
	if err != nil {
		panic(err) // page.html.gz is not what pack has written
	}
	text, err := io.ReadAll(r)
	if err != nil {
		panic(err)
	}
	before, after, _ := strings.Cut(string(text), "\x00")
	return shell{before, after}
})

// Close writes the page.
func (w *writer) Close() error {
	w.sorted()
	out := bufio.NewWriterSize(w.to, 1<<16)
	out.WriteString(theShell().before)
	text := base64.NewEncoder(base64.StdEncoding, out)
	err := w.writePacked(text)
	err = errors.Join(err, text.Close())
	out.WriteString(theShell().after)
	return errors.Join(err, out.Flush())
}

func (w *writer) writePacked(to io.Writer) error {
	packed := gzip.NewWriter(to)
	data := newColumns(packed)
	w.writeData(data)
	return errors.Join(data.to.Flush(), packed.Close())
}
