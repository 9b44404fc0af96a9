package layout

import (
	"fmt"
	"io"
	"sync"
)

// Read finds the layout of the V8 in an ELF binary. It reads the symbol tables, the machine code of a few functions,
// and a part of the constants if symbols do not tell the versions, and never holds more than pieces of the file.
//
// The error wraps ErrNotV8 or ErrUnsupported, and says why. Fields that are not found are no error: see Layout.Require
// and Layout.Notes.
func Read(r io.ReaderAt) (*Layout, error) { return ReadWith(r, nil) }

// ReadWith is Read of a stripped binary that has a separate debug file, whose symbols are added. debug is nil for none.
// A debug file that is no ELF file of x86-64 is an error.
func ReadWith(r, debug io.ReaderAt) (*Layout, error) {
	im, err := openImage(r)
	if err != nil {
		return nil, err
	}
	im.loadSymbols(wantedSymbols())
	if debug != nil {
		if err := im.addSymbols(debug, wantedSymbols()); err != nil {
			return nil, err
		}
	}
	l := &Layout{BuildID: im.buildID()}
	if l.V8, l.Node = im.versions(); l.V8 == (Version{}) {
		return nil, fmt.Errorf("%w: no V8 version in it", ErrNotV8)
	}
	if _, ok := im.least(dbgPrefix); !ok { // Bun has the version of a V8, and some of its functions
		return nil, fmt.Errorf("%w: it has none of V8's debugger constants", ErrNotV8)
	}
	if size, ok := im.dbg("TaggedSize"); ok && size != word {
		return nil, fmt.Errorf("%w: tagged words of %d bytes (pointer compression); only 8 are read", ErrUnsupported,
			size)
	}
	l.Text = im.text()
	l.readIsolateIndex(im)
	for _, r := range table {
		if r.field != IsolateTLS || l.IsolateIndex == 0 {
			l.Values[r.field] = l.resolve(im, r)
		}
	}
	unnamed := sync.OnceValue(im.builtins) // without symbols
	l.readBuiltins(im, unnamed)
	l.readBytecodeSizes(im)
	l.readTranslationOperands(im)
	l.readWasmState(im)
	l.readHandlers(im, unnamed)
	l.check()
	return l, nil
}

// resolve asks a row's sources in turn. When machine code and a rule both speak, they must agree: else it is noted.
func (l *Layout) resolve(im *image, r row) Value {
	rule := l.byRules(r)
	if rule.State == Absent {
		return rule
	}
	if r.code != nil {
		n, name, err := r.code.run(im)
		if err == nil {
			if rule.State == Known && rule.N != n {
				l.note("%s: machine code of %s says %#x, %s says %#x", r.field, name, n, rule.Origin, rule.N)
			}
			return Value{n, Known, "machine code of " + name}
		}
		if name != "" {
			l.note("%s: machine code of %s: %v", r.field, name, err)
		}
	}
	for _, name := range r.dbg {
		if n, ok := im.dbg(name); ok {
			n = n*max(r.scale, 1) + r.add
			if r.of != 0 {
				n += l.Values[r.of].N
			}
			return Value{n, Known, r.origin(name)}
		}
	}
	return rule
}

func (l *Layout) byRules(r row) Value {
	for _, rule := range r.rules {
		switch {
		case !rule.covers(l.V8):
		case rule.absent:
			return Value{State: Absent, Origin: rule.origin()}
		case !rule.relative:
			return Value{rule.n, Known, rule.origin()}
		case l.Has(rule.of):
			return Value{l.Values[rule.of].N + rule.n, Known, rule.origin()}
		}
	}
	return Value{}
}
