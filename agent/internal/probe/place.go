package probe

import (
	"cmp"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/hotspan/hotspan/agent/internal/procs"
)

// ErrNotMapped says that a process has not mapped the file of a probe, or not yet.
var ErrNotMapped = errors.New("not mapped")

// Place is where a probe is in a file.
type Place struct {
	File  *os.File // the caller closes it
	Sites []Site
}

// Find finds the place of a probe in the files that a process has mapped. The error is ErrNotMapped, ErrStarting, or
// says what is wrong with the file or the function.
func Find(pid int, s Spec) (Place, error) {
	starting := procs.ThreadCount(pid) < 2 // before its mappings are read
	m, all, err := mapped(pid, s.File)
	if err != nil {
		return Place{}, fmt.Errorf("probe %s: %w", s.Text, err)
	}
	f, err := procs.Open(pid, m)
	if err != nil {
		return Place{}, fmt.Errorf("probe %s: %w", s.Text, err)
	}
	sites, err := findInFile(pid, m, f, s, starting)
	if err == nil && slices.ContainsFunc(sites, func(s Site) bool { return !isMapped(all, m, s.Offset) }) {
		err = errMoved
	}
	if err != nil {
		procs.Close(f)
		return Place{}, fmt.Errorf("probe %s: %s: %w", s.Text, m.Path, err)
	}
	return Place{f, sites}, nil
}

// errCatches says why a uretprobe would end the process: the return address is not where an exception finds its way.
var errCatches = errors.New("it has exceptions of C++, which end the process where they meet a uretprobe: use uprobe")

// errMoved says why a probe would have no hits: it would be in the file, and what runs is a copy.
var errMoved = errors.New("the process has moved this code into anonymous memory, as node --use-largepages does: " +
	"start it without that option, or no probe of this file has hits")

// ErrStarting says that a process has started no thread yet, and so may still move its code: with --use-largepages it
// would copy the breakpoint of a probe too, and the kernel, which knows of none in the copy, would end it by SIGTRAP.
var ErrStarting = errors.New("Node.js is starting, and may move its code into anonymous memory")

// movesCode reports whether a file is a Node.js that knows --use-largepages, up to 26.0. It moves its code before it
// starts its first thread. (Node.js, src/node.cc, InitializeOncePerProcessInternal;
// src/large_pages/node_text_start.S has the section)
func movesCode(f *elf.File) bool { return f.Section("lpstub") != nil }

// isMapped reports whether a process has mapped a place in the file of a mapping, of all its code in files.
func isMapped(all []procs.Mapping, of procs.Mapping, offset uint64) bool {
	return slices.ContainsFunc(all, func(m procs.Mapping) bool {
		return m.File() == of.File() && offset >= m.Offset && offset-m.Offset < m.End-m.Start
	})
}

// findInFile finds the sites in a file, in its turn. starting: the process may have started no thread yet.
func findInFile(pid int, m procs.Mapping, f *os.File, s Spec, starting bool) ([]Site, error) {
	r, err := newFile(f)
	if err != nil {
		return nil, err
	}
	defer r.end()
	sites, err := findIn(pid, m, r, s, starting)
	if failed := r.failed(); failed != nil { // rather than that there is no such function
		return nil, failed
	}
	return sites, err
}

// findIn finds the sites in a file that is open. Node's own code has no exceptions, although what it is linked with
// has.
func findIn(pid int, m procs.Mapping, f *file, s Spec, starting bool) ([]Site, error) {
	file, err := open(f)
	if err != nil {
		return nil, err
	}
	if starting && movesCode(file) {
		return nil, ErrStarting
	}
	f.begin()
	if s.Kind == USDT {
		return findTracepoint(file, s)
	}
	if s.Kind == Uretprobe {
		if own, err := procs.Executable(pid); err != nil || own != m.FilePath() && catches(file) {
			return nil, cmp.Or(err, errCatches)
		}
	}
	offset, err := find(file, s)
	return []Site{{Offset: offset}}, err
}

// mapped returns a mapping of the code of a file, by its path or base name, and those of all files. The empty name is
// that of the executable.
func mapped(pid int, name string) (found procs.Mapping, all []procs.Mapping, err error) {
	err = procs.EachMapping(pid, func(m procs.Mapping) {
		if inFile(m) {
			all = append(all, m)
		}
	})
	if err != nil {
		return found, nil, fmt.Errorf("mappings of process %d: %w", pid, err)
	}
	if name == "" {
		if name, err = procs.Executable(pid); err != nil {
			return found, nil, err
		}
	}
	found, err = mappedAs(pid, all, name)
	return found, all, err
}

// mostNamed is how many files an error names.
const mostNamed = 50

// mappedAs is mapped, of the mappings of code in files.
func mappedAs(pid int, all []procs.Mapping, name string) (found procs.Mapping, err error) {
	var names []string
	for _, m := range all {
		file := m.FilePath()
		base := path.Base(file)
		if len(names) < mostNamed && !slices.Contains(names, base) {
			if names = append(names, base); len(names) == mostNamed {
				names = append(names, "…")
			}
		}
		switch {
		case file != name && base != name:
		case found.Inode != 0 && found.File() != m.File():
			return found, fmt.Errorf("process %d has mapped %s and %s: name one by its path", pid, found.Path, file)
		default:
			found = m
		}
	}
	if found.Inode == 0 {
		return found, fmt.Errorf("%s is %w by process %d, but %s", name, ErrNotMapped, pid, strings.Join(names, ", "))
	}
	return found, nil
}

// inFile reports whether a mapping is of code in a file.
func inFile(m procs.Mapping) bool { return m.Exec && m.Inode != 0 && strings.HasPrefix(m.Path, "/") }
