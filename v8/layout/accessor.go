package layout

import (
	"errors"
)

// An accessor derives a value from the machine code of one function of the binary: offsets in the Isolate have no
// constants, and move within one Node major.
type accessor struct {
	// as in the symbol table, "*" at the end: any with that prefix; the first that the binary has is read
	names []string
	read  func(*image, []inst) (int64, error)
}

// run returns the value and the function that told it; the name is "" when the binary has none of them.
func (a accessor) run(im *image) (n int64, name string, err error) {
	name, ok := im.firstOf(a.names)
	if !ok {
		return 0, "", errNoSymbol
	}
	code, err := im.code(name)
	if err != nil {
		return 0, name, err
	}
	n, err = a.read(im, code)
	return n, name, err
}

var (
	errNoSymbol = errors.New("no symbol")
	errPattern  = errors.New("unexpected machine code")
)
