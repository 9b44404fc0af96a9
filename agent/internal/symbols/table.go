// Package symbols names addresses of native code: of ELF files by their symbol tables, of the kernel by /proc/kallsyms.
package symbols

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"sort"
	"sync"
)

// Symbol is a named range of code.
type Symbol struct {
	Name  string // demangled: see Table.Lookup
	Start uint64 // ELF virtual address, or kernel address
	Size  uint64 // in bytes; if the table gives none, up to the next symbol, at most 1 MiB
}

// ErrNoSymbols is the error for a file or a kernel that names no code.
var ErrNoSymbols = errors.New("no symbols of functions")

// Table holds the symbols of one file or of the kernel. It is safe for concurrent use.
type Table struct {
	entries []entry   // by rising start; no two have the same
	names   [2][]byte // string tables; names end with a zero byte

	mu   sync.Mutex
	memo map[uint32]string // demangled names by entry.name
}

// entry takes 16 bytes, as a file may have hundreds of thousands.
type entry struct {
	start uint64
	size  uint32
	name  uint32 // offset in names[0]; with secondTable set, in names[1]
}

const (
	secondTable = 1 << 31
	// maxReach bounds symbols without a size, in bytes. The largest function of Node 24 has 330 KiB.
	maxReach = 1 << 20
	// maxNested bounds how many symbols before an address Lookup tries, as symbols may lie inside others.
	maxNested = 16
)

// Lookup returns the symbol that covers an address: of several, the one that starts last. Of aliases it prefers a
// global symbol to a local one, and a local one to a weak one. C++ and Rust names are demangled without parameters and
// without the suffixes of a compiler's clones; template arguments longer than 64 bytes become <...>; symbol versions
// are cut off.
func (t *Table) Lookup(addr uint64) (Symbol, bool) {
	next := sort.Search(len(t.entries), func(i int) bool { return t.entries[i].start > addr })
	for i := next - 1; i >= 0 && i >= next-maxNested; i-- {
		if e := t.entries[i]; addr-e.start < uint64(e.size) {
			return Symbol{Name: t.demangled(e.name), Start: e.start, Size: uint64(e.size)}, true
		}
	}
	return Symbol{}, false
}

// Addresses returns where symbols start, by their mangled names in the file. It is 0 for a name that the file lacks.
func (t *Table) Addresses(names ...string) map[string]uint64 {
	out := make(map[string]uint64, len(names))
	for _, name := range names {
		out[name] = 0
	}
	for _, e := range t.entries {
		raw := t.raw(e.name)
		if _, ok := out[string(raw)]; ok { // allocates no string: there may be hundreds of thousands
			out[string(raw)] = e.start
		}
	}
	return out
}

// Len returns the number of symbols without aliases.
func (t *Table) Len() int { return len(t.entries) }

// demangled returns a name as users see it, and caches it.
func (t *Table) demangled(name uint32) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	s, ok := t.memo[name]
	if !ok {
		s = display(string(t.raw(name)))
		t.memo[name] = s
	}
	return s
}

// raw returns a name in the string table, up to its zero byte. It is empty for a bad offset.
func (t *Table) raw(name uint32) []byte {
	table := t.names[name/secondTable]
	off := int(name % secondTable)
	if off >= len(table) {
		return nil
	}
	table = table[off:min(len(table), off+maxName)]
	if end := bytes.IndexByte(table, 0); end >= 0 {
		return table[:end]
	}
	return table
}

// candidate is a symbol that may become an entry.
type candidate struct {
	entry        // size 0: unknown
	limit uint64 // where a symbol of unknown size must end
	rank  uint8  // of aliases, the one with the least rank stays
}

// Ranks. A size and a type count more than the binding.
const (
	rankGlobal = 0
	rankLocal  = 1
	rankWeak   = 2
	rankNoType = 4
	rankNoSize = 8
)

// fill makes the entries of all candidates. It sorts them.
func (t *Table) fill(all []candidate) error {
	slices.SortFunc(all, t.compare)
	all = slices.CompactFunc(all, func(a, b candidate) bool { return a.start == b.start })
	t.entries = make([]entry, 0, len(all))
	for i, c := range all {
		if c.size == 0 {
			end := c.limit
			if i+1 < len(all) {
				end = min(end, all[i+1].start)
			}
			c.size = uint32(min(maxReach, end-c.start))
		}
		if c.size != 0 { // a label at the end of its section names nothing
			t.entries = append(t.entries, c.entry)
		}
	}
	if len(t.entries) == 0 {
		return ErrNoSymbols
	}
	t.memo = map[uint32]string{}
	return nil
}

// compare orders by address, then aliases by preference. The order is total, so that results do not vary.
func (t *Table) compare(a, b candidate) int {
	if c := cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.rank, b.rank), cmp.Compare(b.size, a.size)); c != 0 {
		return c
	}
	return cmp.Or(bytes.Compare(t.raw(a.name), t.raw(b.name)), cmp.Compare(a.name, b.name))
}
