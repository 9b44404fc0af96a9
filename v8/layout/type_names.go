package layout

import (
	"io"
	"strings"
)

// maxTypes bounds the instance types of one V8.
const maxTypes = 1 << 12

// TypeNames reads the names of the classes of heap objects by their instance type, as JSPromise, from the constants for
// debuggers in the file that V8 is in: v8dbg_type_JSPromise__JS_PROMISE_TYPE.
func TypeNames(r io.ReaderAt) (map[int]string, error) {
	im, err := openImage(r)
	if err != nil {
		return nil, err
	}
	symbols, err := im.elf.DynamicSymbols()
	if err != nil {
		return nil, err
	}
	out := map[int]string{}
	for _, s := range symbols {
		name, ok := strings.CutPrefix(s.Name, "v8dbg_type_")
		if !ok || len(out) == maxTypes {
			continue
		}
		class, _, _ := strings.Cut(name, "__")
		if n, err := im.i32(s.Value); err == nil {
			out[int(n)] = class
		}
	}
	return out, nil
}
