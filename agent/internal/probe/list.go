package probe

import (
	"debug/elf"
	"errors"
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/agent/internal/symbols"
)

// Listed is something that a probe can be put on.
type Listed struct {
	Probe string `json:"probe"`          // as Parse reads it
	File  string `json:"file"`           // its path, or of a tracepoint the directory of the kernel's types
	Name  string `json:"name,omitempty"` // of a function of C++ whose name several have: then Probe has the mangled one
}

// maxListed bounds what is listed of one file.
const maxListed = 1 << 20

// List returns what can be probed in the files that a process has mapped and has a name with the pattern, in which *
// stands for any characters, or without one all of that text in it: functions as uprobes, by their names in C, or those
// in C++ without parameters, and USDT probes as PROVIDER:NAME. It is sorted by file, as they are mapped, and name; the
// kernel's tracepoints come last. The error says which files could not be read; the others are listed.
func List(pid int, pattern string) (all []Listed, err error) {
	maps, err := procs.Maps(pid)
	if err != nil {
		return nil, fmt.Errorf("mappings of process %d: %w", pid, err)
	}
	if !strings.Contains(pattern, "*") {
		pattern = "*" + pattern + "*"
	}
	own, err := procs.Executable(pid)
	if err != nil {
		return nil, err
	}
	seen := map[procs.FileID]bool{}
	for _, m := range maps {
		if !inFile(m) || seen[m.File()] {
			continue
		}
		seen[m.File()] = true
		name := nameOf(maps, m)
		if m.FilePath() == own {
			name = ""
		}
		found, failed := listFile(pid, m, name, pattern)
		if failed != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", m.Path, failed))
		}
		all = append(all, found...)
	}
	found, failed := listTracepoints(pattern)
	return append(all, found...), errors.Join(err, failed)
}

// nameOf returns how a probe names a file: by the end of its path, unless another has the same.
func nameOf(maps []procs.Mapping, m procs.Mapping) string {
	file := m.FilePath()
	base := path.Base(file)
	for _, other := range maps {
		if inFile(other) && other.File() != m.File() && path.Base(other.Path) == base {
			return file
		}
	}
	return base
}

func listFile(pid int, m procs.Mapping, name, pattern string) ([]Listed, error) {
	r, err := procs.Open(pid, m)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	f, err := open(procs.NewTimed(r))
	if err != nil {
		return nil, err
	}
	all := listFunctions(f, "uprobe:"+name+":", pattern)
	marks, err := tracepoints(f)
	for _, t := range marks {
		if glob(pattern, t.provider+":"+t.name) {
			all = append(all, Listed{Probe: "usdt:" + name + ":" + t.provider + ":" + t.name})
		}
	}
	for i := range all {
		all[i].File = m.Path
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].Probe < all[j].Probe })
	if all = slices.Compact(all); len(all) > maxListed {
		all, err = all[:maxListed], errors.Join(err, fmt.Errorf("only %d of %d are listed", maxListed, len(all)))
	}
	return all, err
}

// listFunctions lists functions that have one place. Of a name that several have, the mangled ones are listed.
func listFunctions(f *elf.File, prefix, pattern string) (all []Listed) {
	places := map[string]uint64{} // by name; 0: it has several
	names := map[string]string{}  // demangled, of those with the pattern, by the name in the file
	for s := range functions(f) {
		raw, _, _ := strings.Cut(s.Name, "@")
		name := symbols.Demangled(s.Name)
		if strings.HasPrefix(raw, symbols.Builtins) || elf.ST_TYPE(s.Info) != elf.STT_FUNC || !glob(pattern, name) {
			continue
		}
		names[raw] = name
		for _, n := range []string{raw, name} {
			if at, ok := places[n]; ok && at != s.Value {
				places[n] = 0
			} else {
				places[n] = s.Value
			}
		}
	}
	for raw, name := range names {
		switch {
		case places[name] != 0 && (name == raw || strings.Contains(name, "::") && !strings.Contains(name, "*")):
			all = append(all, Listed{Probe: prefix + name})
		case places[raw] != 0:
			all = append(all, Listed{Probe: prefix + raw, Name: name})
		}
	}
	return all
}

// listTracepoints lists the tracepoints whose name fits a pattern.
func listTracepoints(pattern string) (all []Listed, err error) {
	names, err := kernelTracepoints()
	for _, name := range names {
		if glob(pattern, name) {
			all = append(all, Listed{Probe: "tp:" + name, File: KernelTypes})
		}
	}
	return all, err
}
