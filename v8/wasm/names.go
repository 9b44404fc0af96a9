package wasm

import "strings"

// Limits of names: how many are read of one module, which has up to maxImports and maxBodies functions, and the bytes
// of each.
const (
	maxNames = 1 << 21
	maxName  = 1024
)

// decodeNames reads the subsections of a name section: of the module, 0, and of its functions, 1. One that is cut off
// is read as far as it goes.
func decodeNames(b string, functions map[int]string) (module string) {
	t := text{b}
	for len(t.b) > 0 {
		id, _ := t.u8()
		size, ok := t.u32()
		if !ok {
			return module
		}
		sub := text{t.b[:min(uint64(size), uint64(len(t.b)))]}
		t.b = t.b[len(sub.b):]
		switch id {
		case 0:
			module, _ = sub.name()
		case 1:
			sub.functions(functions)
		}
	}
	return module
}

func (t *text) functions(names map[int]string) {
	n, ok := t.u32()
	for n = min(n, maxNames); ok && n > 0; n-- {
		var index uint32
		var name string
		if index, ok = t.u32(); !ok {
			return
		}
		if name, ok = t.name(); ok && name != "" {
			names[int(index)] = name
		}
	}
}

// text is the content of a name section; names are parts of it.
type text struct{ b string }

func (t *text) u8() (byte, bool) {
	if t.b == "" {
		return 0, false
	}
	c := t.b[0]
	t.b = t.b[1:]
	return c, true
}

func (t *text) u32() (uint32, bool) {
	var n uint64
	for shift := 0; shift < 35; shift += 7 {
		c, ok := t.u8()
		if !ok {
			return 0, false
		}
		n |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return uint32(n), n < 1<<32
		}
	}
	return 0, false
}

func (t *text) name() (string, bool) {
	n, ok := t.u32()
	if !ok || uint64(n) > uint64(len(t.b)) {
		return "", false
	}
	name := t.b[:n]
	t.b = t.b[n:]
	return cut(strings.ToValidUTF8(name, "\ufffd")), true
}

// cut shortens a name to maxName bytes, and marks that.
func cut(name string) string {
	if len(name) <= maxName {
		return name
	}
	return strings.ToValidUTF8(name[:maxName], "") + "…"
}
