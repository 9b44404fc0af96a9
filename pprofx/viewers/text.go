package viewers

import (
	"bufio"
	"bytes"
	"encoding/json"
	"strconv"
)

// text encodes a value that cannot fail to be: strings, numbers, and structs and maps of them. It keeps <anonymous>
// readable, and replaces what is not UTF-8.
func text(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// list writes the elements of a list of JSON with commas between them, and no brackets around it.
type list struct {
	to    *bufio.Writer
	begun bool
	b     []byte // scratch
}

func (l *list) comma() {
	if l.begun {
		l.to.WriteByte(',')
	}
	l.begun = true
}

func (l *list) value(b []byte) {
	l.comma()
	l.to.Write(b)
}

func (l *list) number(n int64) {
	l.comma()
	l.b = strconv.AppendInt(l.b[:0], n, 10)
	l.to.Write(l.b)
}
