package heap

import (
	"encoding/binary"
	"fmt"

	"github.com/hotspan/hotspan/v8/layout"
)

// rootBytes is how much of an isolate is searched for the list of its scripts: V8's roots are near its beginning
// (src/execution/isolate-data.h).
const rootBytes = 0x4000

// Limits of the elements of a list of scripts: of those that show that it is one, and of those that are read.
const (
	telling        = 256
	maxListScripts = 1 << 17
	// maxFinding bounds the reads of looking for the list: two for each root, and one for each of its first scripts.
	maxFinding = 1 << 14
)

// FindScripts finds where an isolate has the list of its scripts: one of its roots is a weak list, all of whose
// elements are scripts. The error is ErrNotFound, or that of reading.
func (r *Reader) FindScripts(isolate uint64) (slot uint64, err error) {
	b, err := r.Bytes(isolate, rootBytes)
	if err != nil {
		return 0, err
	}
	before := r.reads
	for at := uint64(0); len(b) > 0 && r.reads-before <= maxFinding; at, b = at+8, b[8:] {
		list := Word(binary.LittleEndian.Uint64(b))
		if scripts, err := r.weakList(list, telling); err == nil && len(scripts) > 0 && r.areScripts(scripts) {
			return isolate + at, nil
		}
	}
	return 0, fmt.Errorf("list of scripts in the isolate: %w", ErrNotFound)
}

// Scripts are the first scripts of the list that FindScripts has found, at most so many.
func (r *Reader) Scripts(slot uint64, most int) ([]Word, error) {
	list, err := r.WordAt(slot)
	if err != nil {
		return nil, err
	}
	return r.weakList(list, most)
}

// ListsScript reports whether a script is in the list that FindScripts has found. V8 takes those out of it that die, in
// the collection in which they do.
func (r *Reader) ListsScript(slot uint64, script Word) bool {
	list, err := r.WordAt(slot)
	if err != nil {
		return false
	}
	b, err := r.weakElements(list, maxListScripts)
	for ; err == nil && len(b) >= 8; b = b[8:] {
		if w := Word(binary.LittleEndian.Uint64(b)); w != script && w.Strong() == script {
			return true
		}
	}
	return false
}

func (r *Reader) areScripts(all []Word) bool {
	for _, w := range all {
		if r.want(w, layout.TypeScript) != nil {
			return false
		}
	}
	return true
}

// weakList gives what the first elements of a WeakArrayList refer to, but for those that are cleared.
func (r *Reader) weakList(list Word, most int) (all []Word, err error) {
	b, err := r.weakElements(list, most)
	for ; len(b) >= 8; b = b[8:] {
		if w := Word(binary.LittleEndian.Uint64(b)); w != w.Strong() {
			all = append(all, w.Strong())
		}
	}
	return all, err
}

// weakElements reads the first elements of a WeakArrayList: hidden class, capacity, length, elements.
// (src/objects/fixed-array.h)
func (r *Reader) weakElements(list Word, most int) ([]byte, error) {
	if !list.IsObject() {
		return nil, fmt.Errorf("0x%x is not a heap object", uint64(list))
	}
	b, err := r.Bytes(list.address()+8, 16)
	if err != nil {
		return nil, err
	}
	capacity, length := Word(binary.LittleEndian.Uint64(b)), Word(binary.LittleEndian.Uint64(b[8:]))
	if !capacity.IsSmi() || !length.IsSmi() || length.Smi() < 0 || length.Smi() > capacity.Smi() {
		return nil, fmt.Errorf("0x%x is not a weak list", uint64(list))
	}
	return r.Bytes(list.address()+24, 8*min(length.Smi(), most))
}
