package value

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/hotspan/hotspan/v8/layout"
)

// bytes prints at most so many bytes at an address, in pairs of digits, and says how many more there are.
func (s *printing) bytes(at, length uint64, most int) (string, error) {
	n := int(min(length, uint64(most)))
	b, err := s.Heap.Bytes(at, n)
	if err != nil {
		return "", err
	}
	s.read += n
	var pairs []string
	for i := range b {
		pairs = append(pairs, hex.EncodeToString(b[i:i+1]))
	}
	text := strings.Join(pairs, " ")
	if left := length - uint64(n); left > 0 {
		text += fmt.Sprintf(" ... %d more byte%s", left, plural(int(left)))
	}
	return text, nil
}

// plainExtras are the V8s of the releases of Node.js that do not put into brackets what is no property of the object
// itself: those before 22 and 23. Early ones of 22 and 24 do not either.
func plainExtras(v layout.Version) bool {
	return v.Compare(layout.Version{Major: 12, Minor: 4}) < 0 || v.Major == 12 && v.Minor > 4
}

func (s *printing) extra(name string) string {
	if plainExtras(s.l.V8) {
		return name + ": "
	}
	return "[" + name + "]: "
}

// arrayBuffer is the form of an ArrayBuffer or a SharedArrayBuffer: its bytes.
func (s *printing) arrayBuffer(o *object) (form, error) {
	b, err := s.Heap.Buffer(o.w)
	if err != nil {
		return form{}, err
	}
	usual := "ArrayBuffer"
	if b.Shared {
		usual = "SharedArrayBuffer"
	}
	f := s.braced(o, usual)
	f.shown = true
	f.members = func(int) []string {
		contents := "(detached)"
		if !b.Detached {
			text, err := s.bytes(b.Data, b.Length, maxElements)
			if err != nil {
				text = unread(err)
			}
			contents = "[Uint8Contents]: <" + text + ">"
		}
		return []string{contents, s.extra("byteLength") + strconv.FormatUint(b.Length, 10)}
	}
	return f, nil
}

// dataView is the form of a DataView.
func (s *printing) dataView(o *object) (form, error) {
	v, err := s.Heap.View(o.w)
	if err != nil {
		return form{}, err
	}
	b, err := s.Heap.Buffer(v.Buffer)
	if err != nil {
		return form{}, err
	}
	n, ok := v.Within(&b)
	if !ok { // util.inspect fails, or shows what is not so
		return form{}, errors.New("its buffer has been detached, or is too short for it")
	}
	f := s.braced(o, "DataView")
	f.shown = true
	f.members = func(depth int) []string {
		return []string{s.extra("byteLength") + strconv.FormatUint(n, 10),
			s.extra("byteOffset") + strconv.FormatUint(v.Offset, 10), s.extra("buffer") + s.indented(v.Buffer, depth)}
	}
	return f, nil
}
