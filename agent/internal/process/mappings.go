package process

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/elffile"
	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/v8/layout"
)

// Mappings is the address space of a process as last read: code of mapped files, V8's builtins, and memory for code
// that V8 generates at run time. It is not safe for concurrent use, but what Next returns may be read on another
// goroutine.
type Mappings struct {
	pid     int
	mem     io.ReaderAt
	cache   *elffile.Cache
	files   *elffile.Hold
	retired *elffile.Hold // of the mappings before: the BPF program may still use rules of files that were unmapped
	v8      *elffile.File
	native  bool            // a process without V8 is read, too
	unread  error           // why a mapped file that may contain V8 could not be read
	regions []Region        // by address
	maps    []procs.Mapping // that have to do with code; of a core all
	left    int             // of these, how many were not kept
	at      int64           // when they had been read, on the clock of samples
	past    past
}

// readMappings reads the address space of a process. An error means that the process is gone or that reading it is not
// permitted. For a process without V8 the Layout is nil and, unless native, nothing else is read.
func readMappings(pid int, mem io.ReaderAt, c *elffile.Cache, native bool) (*Mappings, error) {
	ms := &Mappings{pid: pid, mem: mem, cache: c, native: native, files: c.Hold(), retired: c.Hold()}
	if err := ms.read(); err != nil {
		ms.Release()
		return nil, err
	}
	return ms, nil
}

// Release gives back the files of the mappings. Call it when the BPF program does not sample the process any more. It
// may wait for BPF programs that run.
func (ms *Mappings) Release() {
	ms.retired.Release()
	ms.files.Release()
}

// Next returns mappings that are to be read, to replace these.
func (ms *Mappings) Next() *Mappings {
	return &Mappings{
		pid: ms.pid, mem: ms.mem, cache: ms.cache, native: ms.native, v8: ms.v8, regions: ms.regions,
		files: ms.cache.Hold(), retired: ms.cache.Hold(),
	}
}

// Read reads what Next returned, while the old mappings stay in use, and the files of new code, which can be slow. Pass
// it to Update then, or call its Release. After an error it is released.
func (ms *Mappings) Read() error {
	err := ms.read()
	if err != nil {
		ms.Release()
	}
	return err
}

// Update replaces the mappings by others that were read later, and reports whether code was mapped or unmapped. Tell
// the BPF program then: files that were unmapped are given back at the next Update.
func (ms *Mappings) Update(next *Mappings) (changed bool) {
	go ms.retired.Release()
	ms.retired, ms.files = ms.files, next.files
	ms.v8, ms.unread, ms.left = next.v8, next.unread, next.left
	return ms.set(next.maps, next.regions, next.at)
}

// Maps are all mappings of the process now, by address; of a core those that it has. There is none if the process has
// ended.
func (ms *Mappings) Maps() []procs.Mapping {
	if ms.pid == 0 {
		return ms.maps
	}
	all, err := procs.Maps(ms.pid)
	if err != nil {
		return nil
	}
	return all
}

// Code are the mappings that have to do with code, by address, as they were last read.
func (ms *Mappings) Code() []procs.Mapping { return ms.maps }

func (ms *Mappings) set(maps []procs.Mapping, regions []Region, at int64) (changed bool) {
	ms.past.date(ms.regions, regions, at)
	changed = !slices.Equal(regions, ms.regions)
	ms.maps, ms.regions = maps, regions
	return changed
}

// Layout returns the layout of the process's V8; nil if there is none.
func (ms *Mappings) Layout() *layout.Layout {
	if ms.v8 == nil {
		return nil
	}
	return ms.v8.Layout
}

// Bias returns the address of V8's file minus its ELF virtual address: that of its largest region of code. The second
// mapping of the builtins, which may be below it, has another one.
func (ms *Mappings) Bias() uint64 {
	var code Region
	for _, r := range ms.regions {
		if ms.v8 != nil && r.File == ms.v8 && r.Kind == Native && r.End-r.Start > code.End-code.Start {
			code = r
		}
	}
	return code.Bias
}

// denied reads the first bytes of V8, and returns the error if the kernel does not let hotspan read memory at all: a
// seccomp filter may refuse that alone.
func (ms *Mappings) denied() error {
	for _, r := range ms.regions {
		if r.File != ms.v8 {
			continue
		}
		_, err := ms.mem.ReadAt(make([]byte, 8), int64(r.Start))
		if errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSYS) {
			return err
		}
		break
	}
	return nil
}

// V8 returns the file that contains V8; nil if there is none.
func (ms *Mappings) V8() *elffile.File { return ms.v8 }

func (ms *Mappings) read() error {
	maps, left, err := codeMapsOf(ms.pid, ms.regions)
	if err != nil {
		return fmt.Errorf("mappings of process %d: %w", ms.pid, err)
	}
	ms.at = procs.Monotonic()
	if ms.v8 == nil && !ms.hasV8(maps) && !ms.native {
		return nil
	}
	ms.left = left
	ms.files.Stat(ms.pid, maps)
	ms.maps, ms.regions = maps, ms.find(maps, ms.open)
	return nil
}

// find finds the regions of code. file returns the file of a mapping; nil: its code is left out.
func (ms *Mappings) find(maps []procs.Mapping, file func(procs.Mapping) *elffile.File) []Region {
	var regions []Region
	for i, m := range maps {
		if !m.Exec || m.Inode == 0 && m.Path != elffile.VdsoPath {
			continue
		}
		f := file(m)
		if f == nil {
			continue
		}
		code := regionsOf(m, f)
		if i > 0 && len(code) == 1 && f == ms.v8 && isSecondMapping(f, m, maps[i-1]) {
			code[0].Kind = Builtins
		}
		regions = append(regions, code...)
	}
	for _, m := range maps {
		if copied, ok := copiedBuiltins(ms.mem, ms.v8, m, regions); ok {
			regions = append(regions, copied)
		}
	}
	byAddress(regions)
	regions = append(regions, generated(maps, regions, ms.regions)...)
	byAddress(regions)
	return regions
}

func byAddress(regions []Region) {
	sort.SliceStable(regions, func(i, j int) bool { return regions[i].Start < regions[j].Start })
}

func (ms *Mappings) hasV8(maps []procs.Mapping) bool {
	for _, m := range maps {
		has, err := ms.files.HasV8(ms.pid, m)
		if has {
			return true
		}
		if err != nil {
			ms.unread = err
		}
	}
	return false
}

// open reads the file of an executable mapping; nil: it is not a file that can be read.
func (ms *Mappings) open(m procs.Mapping) *elffile.File {
	if m.Path == elffile.VdsoPath {
		return ms.vdso(m)
	}
	f := ms.files.Get(ms.pid, m)
	if f.Layout != nil && ms.v8 == nil {
		ms.v8 = f
	}
	if f.Layout == nil {
		if has, err := ms.files.HasV8(ms.pid, m); has || err != nil {
			ms.unread = cmp.Or(errors.Join(f.Problems...), err)
		}
	}
	return f
}

func (ms *Mappings) vdso(m procs.Mapping) *elffile.File {
	image := make([]byte, m.End-m.Start)
	if _, err := ms.mem.ReadAt(image, int64(m.Start)); err != nil {
		return nil
	}
	return ms.files.Vdso(image)
}

// regionsOf returns the regions of an executable mapping of a file.
func regionsOf(m procs.Mapping, f *elffile.File) []Region {
	at, ok := f.Address(m.Offset)
	if !ok {
		at = m.Offset
	}
	r := Region{Start: m.Start, End: m.End, File: f, Bias: m.Start - at}
	if f.Layout == nil {
		return []Region{r}
	}
	return split(r, f.Layout.Builtins.Start+r.Bias, f.Layout.Builtins.End+r.Bias)
}

// isSecondMapping reports whether a mapping is the second one of V8's builtins, inside its code range, for a file
// without symbols of the builtins: no other part of an executable is mapped directly after anonymous memory.
func isSecondMapping(v8 *elffile.File, m, before procs.Mapping) bool {
	return v8.Layout.Builtins == layout.Range{} && before.End == m.Start && before.Inode == 0 && before.Path == ""
}
