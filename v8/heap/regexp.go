package heap

import (
	"encoding/binary"
	"fmt"

	"github.com/hotspan/hotspan/v8/layout"
)

// maxRegexpData is how many words of a regular expression's data are looked through for its code.
const maxRegexpData = 20

// RegexpSource is the pattern of the regular expression that code was made of, at most limit UTF-16 units of it. w is
// what the code was called with: a JSRegExp, since V8 12.5 its data. It is an address, and another regular expression
// may be there by now: so it must refer to the code. (src/regexp/regexp-macro-assembler.h, NativeRegExpMacroAssembler)
func (r *Reader) RegexpSource(w Word, c *Code, limit int) (string, error) {
	typ, err := r.Type(w)
	if err != nil {
		return "", err
	}
	data, source := w, layout.RegExpDataSource
	if typ == r.l.At(layout.TypeJSRegExp) {
		source = layout.JSRegExpSource
		if data, err = r.field(w, layout.JSRegExpData); err != nil {
			return "", err
		}
	} else if typ != r.l.At(layout.TypeRegExpData) {
		return "", &TypeError{w, typ, "JSRegExp"}
	}
	for b := r.UpTo(data.address(), 8*maxRegexpData); len(b) >= 8; b = b[8:] {
		if r.leadsTo(Word(binary.LittleEndian.Uint64(b)), c.object) {
			pattern, err := r.field(w, source)
			if err != nil {
				return "", err
			}
			text, err := r.String(pattern, limit)
			if err == nil {
				err = r.refers(w, source, pattern)
			}
			return text, err
		}
	}
	return "", fmt.Errorf("regular expression 0x%x: code 0x%x is not its own: %w", uint64(w), uint64(c.object),
		ErrNotFound)
}

// leadsTo reports whether a word is a Code, or the CodeWrapper of one, which V8 12.4 has in its place.
func (r *Reader) leadsTo(w, code Word) bool {
	if w == code || !w.IsObject() {
		return w == code
	}
	inner, err := r.WordAt(w.address() + 8)
	return err == nil && inner == code
}
