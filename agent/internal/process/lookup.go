package process

import (
	"slices"
	"sort"
	"strings"

	"github.com/hotspan/hotspan/agent/internal/elffile"
	"github.com/hotspan/hotspan/agent/internal/uvpool"
	"github.com/hotspan/hotspan/v8/functions"
)

// Find returns the region that holds an address.
func (ms *Mappings) Find(addr uint64) (Region, bool) {
	i := after(ms.regions, addr)
	if i == len(ms.regions) || addr < ms.regions[i].Start {
		return Region{}, false
	}
	return ms.regions[i], true
}

// Path returns the path of the file that is mapped at an address, whether or not that file can be read; "" if none is.
func (ms *Mappings) Path(addr uint64) string {
	i := sort.Search(len(ms.maps), func(i int) bool { return ms.maps[i].End > addr })
	if i == len(ms.maps) || addr < ms.maps[i].Start || !strings.HasPrefix(ms.maps[i].Path, "/") {
		return ""
	}
	return ms.maps[i].Path
}

// Builtin returns the builtin of V8 that holds an address. (functions.AddressSpace)
func (ms *Mappings) Builtin(pc uint64) (name string, start, end uint64, ok bool) {
	r, ok := ms.Find(pc)
	if !ok || r.Kind != Builtins {
		return "", 0, 0, false
	}
	if r.File.Symbols == nil {
		return functions.UnnamedBuiltin, r.Start, r.End, true
	}
	sym, ok := r.File.Symbols.Lookup(pc - r.Bias)
	if !ok {
		return functions.UnnamedBuiltin, r.Start, r.End, true
	}
	start = sym.Start + r.Bias
	return strings.TrimPrefix(sym.Name, "Builtins_"), start, start + sym.Size, true
}

// Function returns the name of the function of a file that holds an address; "" if none is known.
func (ms *Mappings) Function(pc uint64) string {
	r, ok := ms.Find(pc)
	if !ok || r.File == nil || r.File.Symbols == nil {
		return ""
	}
	sym, _ := r.File.Symbols.Lookup(pc - r.Bias)
	return sym.Name
}

// Generated reports whether an address is in memory for code that V8 generates at run time. (functions.AddressSpace)
func (ms *Mappings) Generated(pc uint64) bool {
	r, ok := ms.Find(pc)
	return ok && r.Kind == Generated
}

// Address converts an ELF virtual address of V8's file to an address in the process. (functions.AddressSpace)
func (ms *Mappings) Address(elf uint64) (addr uint64, ok bool) {
	return elf + ms.Bias(), elf != 0 && ms.v8 != nil
}

// UVPool returns libuv's thread pool in the process and the bias of its file; nil if none was found.
func (ms *Mappings) UVPool() (p *uvpool.Pool, bias uint64) {
	for _, r := range ms.regions {
		if r.Kind == Native && r.File.Pool != nil {
			return r.File.Pool, r.Bias
		}
	}
	return nil, 0
}

// Files returns the files of which the process has code mapped, each once, by address, without the vdso.
func (ms *Mappings) Files() []*elffile.File {
	var out []*elffile.File
	for _, r := range ms.regions {
		if r.File != nil && r.File.Path != elffile.VdsoPath && !slices.Contains(out, r.File) {
			out = append(out, r.File)
		}
	}
	return out
}

// Executable returns the number of executable mappings now.
func (ms *Mappings) Executable() int {
	n := 0
	for _, m := range ms.Maps() {
		if m.Exec {
			n++
		}
	}
	return n
}
