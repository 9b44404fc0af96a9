// Package symbols turns addresses of native code into names: of ELF files from their symbol tables, of the kernel from
// /proc/kallsyms.
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
	Name  string // demangled, see Table.Lookup
	Start uint64 // ELF virtual address, or kernel address
	Size  uint64 // bytes; where the table gives none, up to the next symbol, at most 1 MiB
}

// ErrNoSymbols is returned for a file or a kernel that names no code.
var ErrNoSymbols = errors.New("no symbols of functions")

// Table holds the symbols of one file or of the kernel. Lookup may be called by several goroutines.
type Table struct {
	entries []entry   // by rising start, which differ
	names   [2][]byte // string tables, of names that end with a zero byte

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
	// maxNested bounds how many symbols inside another one Lookup looks behind.
	maxNested = 16
)

// Lookup returns the symbol that covers an address: of all that do, the one that starts last. Of aliases a global
// symbol goes before a local, a local before a weak one. C++ and Rust names are demangled without parameters and
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

// Addresses finds symbols by their names in the file, mangled, and gives where they start; 0 for those that are not
// there.
func (t *Table) Addresses(names ...string) map[string]uint64 {
	out := make(map[string]uint64, len(names))
	for _, name := range names {
		out[name] = 0
	}
	for _, e := range t.entries {
		raw := t.raw(e.name)
		if _, ok := out[string(raw)]; ok { // which makes no string: there are hundreds of thousands
			out[string(raw)] = e.start
		}
	}
	return out
}

// Len returns the number of symbols, aliases not counted.
func (t *Table) Len() int { return len(t.entries) }

// demangled returns a name for people, and keeps it.
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

// raw returns a name as it stands in the string table, up to its zero byte. It is empty for a bad offset.
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
	rank  uint8  // of aliases, the least one stays
}

// Ranks. A size and a type say more than the binding does.
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

// compare orders by address, then aliases by preference. It leaves nothing to chance.
func (t *Table) compare(a, b candidate) int {
	if c := cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.rank, b.rank), cmp.Compare(b.size, a.size)); c != 0 {
		return c
	}
	return cmp.Or(bytes.Compare(t.raw(a.name), t.raw(b.name)), cmp.Compare(a.name, b.name))
}
