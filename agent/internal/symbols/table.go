// Package symbols names addresses of native code in ELF files by their symbol tables.
package symbols

import (
	"bytes"
	"errors"
	"math"
	"sync"
)

// Symbol is a named range of code.
type Symbol struct {
	Name  string // demangled: see Table.Lookup
	Start uint64 // ELF virtual address
	Size  uint64 // in bytes; if the table gives none, up to the next symbol, at most 1 MiB
}

// ErrNoSymbols is the error for a file that names no code.
var ErrNoSymbols = errors.New("no symbols of functions")

// Table holds the symbols of one file, in blocks that it reads when it needs them: a file may have hundreds of
// thousands. It is safe for concurrent use.
type Table struct {
	mu      sync.Mutex
	source  source
	encoded []byte          // that is in memory; nil: none
	memo    map[int][]found // by block
	kept    int             // in memo
}

// source has the symbols in blocks of perBlock, by rising start.
type source interface {
	Len() int // of blocks
	Key(block int) uint64
	Find(addr uint64) (block int)
	visit(block int, f func(entry) bool) // until f returns false
}

func newTable(s source) *Table { return &Table{source: s, memo: map[int][]found{}} }

// found is a result of Lookup, for addresses from low up to high.
type found struct {
	Symbol
	ok        bool
	low, high uint64
}

// entry is a symbol in a block.
type entry struct {
	start uint64
	size  uint32
	name  []byte // mangled; not to be changed, nor kept beyond the visit
}

const (
	// maxReach bounds symbols without a size, in bytes. The largest function of Node 24 has 330 KiB.
	maxReach = 1 << 20
	// maxNested bounds how many symbols before an address Lookup tries, as symbols may lie inside others.
	maxNested = 16
	// perBlock is how many symbols a block has. It must be at least maxNested.
	perBlock = 64
	// maxMemo bounds the results that are kept.
	maxMemo = 2048
)

// Lookup returns the symbol that covers an address: of several, the one that starts last. Of aliases it prefers a
// global symbol to a local one, and a local one to a weak one. C++ and Rust names are demangled without parameters and
// without the suffixes of a compiler's clones; template arguments longer than 64 bytes become <...>; symbol versions
// are cut off. A table in a file that cannot be read any more names nothing.
func (t *Table) Lookup(addr uint64) (Symbol, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	block := t.source.Find(addr)
	for _, f := range t.memo[block] {
		if f.low <= addr && addr < f.high {
			return f.Symbol, f.ok
		}
	}
	if t.kept == maxMemo {
		clear(t.memo)
		t.kept = 0
	}
	f := t.find(block, addr)
	t.memo[block] = append(t.memo[block], f)
	t.kept++
	return f.Symbol, f.ok
}

// find looks among the last maxNested symbols that start at an address or before it, from the block on that has the
// last one. The result is that of all addresses between which and this one no symbol begins or ends that was looked at.
func (t *Table) find(block int, addr uint64) (out found) {
	out.high = math.MaxUint64
	if block+1 < t.source.Len() {
		out.high = t.source.Key(block + 1)
	}
	left := maxNested
	for i := block; i >= 0 && left > 0 && !out.ok; i-- {
		var before []entry // of this block
		name, at := []byte(nil), -1
		t.source.visit(i, func(e entry) bool {
			if e.start > addr {
				out.high = min(out.high, e.start)
				return false
			}
			if end := e.start + uint64(e.size); addr-e.start < uint64(e.size) {
				name, at = append(name[:0], e.name...), len(before)
				out.low, out.high = max(out.low, e.start), min(out.high, end)
			} else {
				out.low = max(out.low, end)
			}
			before = append(before, e)
			return true
		})
		if at >= 0 && len(before)-at <= left {
			e := before[at]
			out.Symbol, out.ok = Symbol{display(string(name)), e.start, uint64(e.size)}, true
		}
		left -= len(before)
	}
	return out
}

// Addresses returns where symbols start, by their mangled names in the file. It is 0 for a name that the file lacks.
func (t *Table) Addresses(names ...string) map[string]uint64 {
	at, _ := t.Search("", names...)
	return at
}

// Search is Addresses, and returns also where symbols start whose names contain a part; none for "".
func (t *Table) Search(part string, names ...string) (at map[string]uint64, containing []uint64) {
	at = make(map[string]uint64, len(names))
	for _, name := range names {
		at[name] = 0
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range t.source.Len() {
		t.source.visit(i, func(e entry) bool {
			if _, ok := at[string(e.name)]; ok { // allocates no string
				at[string(e.name)] = e.start
			}
			if part != "" && bytes.Contains(e.name, []byte(part)) {
				containing = append(containing, e.start)
			}
			return true
		})
	}
	return at, containing
}

// Len returns the number of symbols without aliases.
func (t *Table) Len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := 0
	for i := range t.source.Len() {
		t.source.visit(i, func(entry) bool { n++; return true })
	}
	return n
}
