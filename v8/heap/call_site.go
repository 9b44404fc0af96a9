package heap

import (
	"fmt"

	"github.com/hotspan/hotspan/v8/layout"
)

// CallSite is a call that an error has captured, of which V8 makes a line of its stack when it is asked for.
type CallSite struct {
	Function Word // JSFunction
	Code     Word // BytecodeArray; for a builtin a Code
	Offset   int  // of the call in the bytecode; -1 where it is not told
	New      bool // the function was called with new
	Async    bool // it awaits what was called before it
}

// maxCallSites bounds the calls of an error. Error.stackTraceLimit is 10 if nothing sets it.
const maxCallSites = 200

// wordsOfCallSite are those of a CallSiteInfo, without its map.
const wordsOfCallSite = 6

// CallSites reads the calls that an error has captured: a list of objects, or from V8 14.2 on of the words that were in
// them. (src/objects/call-site-info.tq, StackFrameInfo until V8 9; src/execution/isolate.cc, CallSiteInfo in a
// FixedArray)
func (r *Reader) CallSites(list Word) (out []CallSite, more int, err error) {
	if err := r.want(list, layout.TypeFixedArray); err != nil {
		return nil, 0, err
	}
	list, n, err := r.store(list)
	if err != nil {
		return nil, 0, err
	}
	at, step := list.address()+uint64(r.l.At(layout.FixedArrayData)), 1
	flat := r.l.V8.Compare(layout.Version{Major: 14, Minor: 2}) >= 0
	if flat {
		step = wordsOfCallSite
	}
	for i := 0; i < n/step && i < maxCallSites; i++ {
		words := at + 8*uint64(i*step)
		if !flat {
			object, err := r.WordAt(words)
			if err != nil {
				return out, 0, err
			}
			if object, _, err = r.Forwarded(object); err != nil {
				return out, 0, err
			}
			words = object.address() + 8
		}
		c, err := r.callSite(words, flat)
		if err != nil {
			return out, 0, err
		}
		out = append(out, c)
	}
	return out, n/step - len(out), nil
}

// store is where a FixedArray is, and its length.
func (r *Reader) store(w Word) (Word, int, error) {
	w, _, err := r.Forwarded(w)
	if err != nil {
		return 0, 0, err
	}
	n, err := r.StoreLength(w)
	return w, n, err
}

// Flags of a CallSiteInfo. What is behind isAsync says that the offset is not one of bytecode any more.
const (
	siteConstructor = 1 << 3
	siteAsync       = 1 << 5
	siteOthers      = ^0x3f
)

// callSite reads receiver, function, code, offset, flags and parameters. From V8 12 on the code is before the receiver,
// and where the words are in a list, the parameters are before the flags.
func (r *Reader) callSite(at uint64, flat bool) (c CallSite, err error) {
	var words [wordsOfCallSite]Word
	for i := range words {
		if words[i], err = r.WordAt(at + 8*uint64(i)); err != nil {
			return c, err
		}
	}
	c.Function, c.Code = words[1], words[2]
	if r.l.V8.Major >= 12 {
		c.Code, c.Function = words[0], words[2]
	}
	bits := words[4]
	if flat {
		bits = words[5]
	}
	if !words[3].IsSmi() || !bits.IsSmi() {
		return c, fmt.Errorf("call site at 0x%x: offset 0x%x, flags 0x%x", at, uint64(words[3]), uint64(bits))
	}
	flags := bits.Smi()
	c.New, c.Async, c.Offset = flags&siteConstructor != 0, flags&siteAsync != 0, words[3].Smi()
	if flags&siteOthers != 0 {
		c.Offset = -1
	}
	if typ, err := r.Type(c.Code); err == nil && typ != r.l.At(layout.TypeBytecodeArray) {
		// From V8 14 on a BytecodeWrapper or a CodeWrapper is there; what is in it is its first field.
		if w, err := r.WordAt(c.Code.address() + 8); err == nil && r.want(w, layout.TypeBytecodeArray) == nil {
			c.Code = w
		}
	}
	return c, nil
}
