package verify

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

var scriptFields = []layout.Field{layout.TypeScript, layout.ScriptID, layout.ScriptName, layout.ScriptSource,
	layout.FixedArrayLength, layout.FixedArrayData}

// rootBytes is how much of an isolate is searched for the list of its scripts: V8's roots are near its beginning
// (src/execution/isolate-data.h).
const rootBytes = 0x4000

// maxListed bounds the scripts that are looked at, and the functions of one of them.
const maxListed = 256

// scripts are those of the isolate, from the list that is one of its roots: a WeakArrayList.
// (src/objects/fixed-array.h)
func (i *isolate) scripts() ([]heap.Word, error) {
	b, err := i.r.Bytes(i.at, rootBytes)
	if err != nil {
		return nil, err
	}
	for ; len(b) > 0; b = b[8:] {
		if list := i.scriptList(heap.Word(binary.LittleEndian.Uint64(b))); len(list) > 0 {
			return list, nil
		}
	}
	return nil, fmt.Errorf("no list of scripts in the isolate")
}

// scriptList gives the elements of a weak list whose elements are all scripts; nil for anything else.
func (i *isolate) scriptList(w heap.Word) []heap.Word {
	if !w.IsObject() {
		return nil
	}
	b, err := i.r.Bytes(uint64(w)-1, 24)
	if err != nil {
		return nil
	}
	capacity, length := heap.Word(binary.LittleEndian.Uint64(b[8:])), heap.Word(binary.LittleEndian.Uint64(b[16:]))
	if !capacity.IsSmi() || !length.IsSmi() || length.Smi() < 1 || length.Smi() > capacity.Smi() {
		return nil
	}
	if b, err = i.r.Bytes(uint64(w)-1+24, 8*min(length.Smi(), maxListed)); err != nil {
		return nil
	}
	return i.weak(b, layout.TypeScript)
}

// weak gives the objects that an array refers to weakly; nil if one is of another type.
func (i *isolate) weak(b []byte, typ layout.Field) []heap.Word {
	var out []heap.Word
	for ; len(b) >= 8; b = b[8:] {
		w := heap.Word(binary.LittleEndian.Uint64(b))
		if w.Strong() == w {
			continue // cleared, or empty
		}
		if !i.is(w.Strong(), typ) {
			return nil
		}
		out = append(out, w.Strong())
	}
	return out
}

// checkScripts: the isolate is one, since it has a list of scripts. Their ids differ, and at least one has the name of
// a part of Node.js itself.
func (i *isolate) checkScripts() error {
	scripts, err := i.scripts()
	if err != nil {
		return err
	}
	ids, named := map[int]bool{}, false
	for _, w := range scripts {
		s, err := i.r.Script(w)
		if err != nil {
			return err
		}
		if s.ID <= 0 || ids[s.ID] {
			return fmt.Errorf("script %#x has id %d, another has it too", uint64(w), s.ID)
		}
		ids[s.ID] = true
		named = named || strings.HasPrefix(s.Name, "node:")
	}
	if !named {
		return fmt.Errorf("none of %d scripts has a name that begins with node:", len(scripts))
	}
	i.note(layout.IsolateTLS, layout.IsolateKey, layout.TypeScript, layout.ScriptID, layout.ScriptName)
	return nil
}
