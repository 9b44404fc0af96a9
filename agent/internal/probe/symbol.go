package probe

import (
	"debug/elf"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/hotspan/hotspan/agent/internal/disasm"
	"github.com/hotspan/hotspan/agent/internal/symbols"
)

// function is a function of a file.
type function struct {
	name string
	elf.Symbol
}

// catches reports whether the code of a file may have exceptions of C++ pass through it: it imports, or has, what
// decides where they go. (Itanium C++ ABI: Exception Handling, 2.5)
func catches(f *elf.File) bool {
	dynamic, _ := f.DynamicSymbols() // without any there are no exceptions of others
	return slices.ContainsFunc(dynamic, func(s elf.Symbol) bool { return s.Name == "__gxx_personality_v0" })
}

// find returns the offset in an ELF file of the place that a uprobe asks for. It reads .symtab and .dynsym: a name may
// be that in the file, or a demangled one without parameters. The error says why there is not exactly one.
func find(f *elf.File, s Spec) (offset uint64, err error) {
	found, last := anyOf(f, s.Symbol)
	switch {
	case len(found) == 0:
		other := like(f, last)
		return 0, fmt.Errorf("no native function has the name %s%s", s.Symbol, other.text())
	case len(found) > 1:
		return 0, fmt.Errorf("%d functions have the name %s: %s", len(found), s.Symbol, listed(found))
	case strings.HasPrefix(found[0].name, symbols.Builtins):
		return 0, fmt.Errorf("%s is a builtin of V8, which may run a copy of it, where a probe sees nothing", s.Symbol)
	case elf.ST_TYPE(found[0].Info) != elf.STT_FUNC:
		return 0, fmt.Errorf("%s only chooses the function that is called in its place: name that one", s.Symbol)
	}
	code, err := symbols.Bytes(f, found[0].Value, s.Offset+longestInstruction)
	if err == nil {
		err = begins(code, s.Offset, found[0].Size)
	}
	if err != nil {
		return 0, fmt.Errorf("%s+%#x: %w", s.Symbol, s.Offset, err)
	}
	return fileOffset(f, found[0].Value+s.Offset, true)
}

const longestInstruction = 15 // bytes of x86-64

// anyOf returns the functions with the first name that the file has: those of versions of it may differ. last is the
// last name that was looked for.
func anyOf(f *elf.File, symbol string) (found []function, last string) {
	names := []string{symbol}
	if !strings.Contains(symbol, "operator|") {
		names = strings.Split(symbol, "|")
	}
	for _, last = range names {
		if found = matching(f, last); len(found) > 0 {
			break
		}
	}
	return found, last
}

// matching returns the functions with a name, one for each address.
func matching(f *elf.File, pattern string) (found []function) {
	part := literal(pattern)
	for s := range functions(f) {
		if !strings.Contains(s.Name, part) {
			continue
		}
		name := nameFor(pattern, s.Name)
		same := func(x function) bool { return x.Value == s.Value }
		if glob(pattern, name) && !slices.ContainsFunc(found, same) {
			found = append(found, function{name, s})
		}
	}
	return found
}

// like returns the names that are like one that no function has.
func like(f *elf.File, pattern string) (other near) {
	other.of = pattern
	for s := range functions(f) {
		other.add(nameFor(pattern, s.Name))
	}
	return other
}

// nameFor is the name of a symbol that a pattern is compared with.
func nameFor(pattern, symbol string) string {
	if strings.Contains(pattern, "::") {
		return symbols.Demangled(symbol)
	}
	name, _, _ := strings.Cut(symbol, "@")
	return name
}

// literal returns what the mangled names of all functions have that a pattern fits; empty if nothing is known. Most
// names need no demangling then, which takes a second for those of a Node.js. An identifier at the end is mangled as it
// is. Constructors are not, which repeat the name of their class. (Itanium C++ ABI, 5.1.3)
func literal(pattern string) string {
	class, name, found := cutLast(pattern, "::")
	class, _, _ = strings.Cut(class, "<")
	if _, last, nested := cutLast(class, "::"); nested {
		class = last
	}
	if !found || name == class || strings.ContainsFunc(name, isNoLetter) {
		return ""
	}
	return name
}

// cutLast cuts a text at the last separator.
func cutLast(text, separator string) (before, after string, found bool) {
	i := strings.LastIndex(text, separator)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(separator):], true
}

func isNoLetter(r rune) bool {
	return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
}

// functions returns what a name may mean: the functions of both symbol tables, those of V8's builtins, and what chooses
// one when the program is linked. A table that cannot be read has none.
func functions(f *elf.File) iter.Seq[elf.Symbol] {
	return func(yield func(elf.Symbol) bool) {
		for s := range allSymbols(f) {
			kind := elf.ST_TYPE(s.Info)
			old := s.HasVersion && s.VersionIndex.IsHidden() // memcpy@GLIBC_2.2.5, beside memcpy@@GLIBC_2.14
			part := strings.Contains(s.Name, ".cold")        // of a function, that nobody calls
			if old || part || s.Section == elf.SHN_UNDEF || s.Value == 0 {
				continue
			}
			if kind != elf.STT_FUNC && kind != elf.STT_GNU_IFUNC && !strings.HasPrefix(s.Name, symbols.Builtins) {
				continue
			}
			if !yield(s) {
				return
			}
		}
	}
}

// glob reports whether a name has a pattern, in which * stands for any characters.
func glob(pattern, name string) bool {
	first, rest, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == name
	}
	if !strings.HasPrefix(name, first) {
		return false
	}
	name = name[len(first):]
	parts := strings.Split(rest, "*")
	for _, part := range parts[:len(parts)-1] {
		i := strings.Index(name, part)
		if i < 0 {
			return false
		}
		name = name[i+len(part):]
	}
	return strings.HasSuffix(name, parts[len(parts)-1])
}

// listed names some functions, as they are in the file.
func listed(all []function) string {
	var names []string
	for _, f := range all[:min(len(all), mostNear)] {
		names = append(names, f.Name)
	}
	if len(all) > len(names) {
		names = append(names, "…")
	}
	return strings.Join(names, ", ")
}

// begins returns an error if no instruction begins at an offset in the code of a function of some size, 0 for not
// known. The kernel would overwrite the middle of one.
func begins(code []byte, offset, size uint64) error {
	if offset > 0 && offset >= size {
		return fmt.Errorf("the function has %d bytes", size)
	}
	before := uint64(0)
	for _, in := range disasm.X86(code, 0) {
		switch at := uint64(in.Offset); {
		case at == offset:
			return nil
		case at > offset:
			return fmt.Errorf("no instruction begins there, but at +%#x and +%#x", before, at)
		case in.Text == disasm.Unknown:
			return fmt.Errorf("whether an instruction begins there cannot be told: at +%#x is none that is known", at)
		default:
			before = at
		}
	}
	return fmt.Errorf("the function's code ends before it, at +%#x", len(code))
}
