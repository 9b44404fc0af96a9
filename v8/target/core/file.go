package core

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
)

// ErrOtherFile says that a file is not the one that was mapped.
var ErrOtherFile = errors.New("this is not the file that was mapped")

// ErrNoFirstPage says that a core lacks what a file would be compared with. It is an ErrOtherFile.
var ErrNoFirstPage = fmt.Errorf("%w, for all that can be told: the core does not have its first page", ErrOtherFile)

const (
	headSize   = 4096 // of a mapped file: the kernel dumps that much of each ELF file
	maxHeaders = 64
	maxBuildID = 64
)

// Paths are the paths of the files that were mapped, each once, by address.
func (c *Core) Paths() []string {
	var out []string
	seen := map[string]bool{}
	for _, m := range c.Mappings {
		if m.Path != "" && !seen[m.Path] {
			seen[m.Path] = true
			out = append(out, m.Path)
		}
	}
	return out
}

// HasCode reports whether a file was mapped as code, as far as the core tells.
func (c *Core) HasCode(path string) bool {
	return slices.ContainsFunc(c.Mappings, func(m Mapping) bool { return m.Exec && m.Path == path })
}

// Program is the path of the executable, by where the kernel says that its program headers are; empty if it is unknown.
func (c *Core) Program() string {
	const phdr, entry = 3, 9 // AT_PHDR, AT_ENTRY
	for _, key := range []uint64{phdr, entry} {
		at, ok := c.Auxiliary[key]
		if i := c.find(at); ok && i < len(c.Mappings) && c.Mappings[i].Start <= at && c.Mappings[i].Path != "" {
			return c.Mappings[i].Path
		}
	}
	return ""
}

// Vdso is the address of the vdso; 0: unknown.
func (c *Core) Vdso() uint64 {
	const sysinfoEhdr = 33 // AT_SYSINFO_EHDR
	return c.Auxiliary[sysinfoEhdr]
}

// Attach has memory that the core lacks read from a file, where the file of that path was mapped. The file must be the
// one that was mapped then: its build id is compared with that in the core, or, where there is none, its first page. If
// it is another one the error is ErrOtherFile; if the core has nothing to compare it with, ErrNoFirstPage. The caller
// keeps the file open.
func (c *Core) Attach(path string, file io.ReaderAt) error {
	head := c.head(path)
	if head == nil {
		return ErrNoFirstPage
	}
	now := make([]byte, len(head))
	if n, err := file.ReadAt(now, 0); err != nil && !errors.Is(err, io.EOF) {
		return err
	} else if n < len(now) {
		clear(now[n:])
	}
	was, is := buildID(head), buildID(now)
	switch {
	case was == "" && !bytes.Equal(head, now):
		return fmt.Errorf("%w: its first page differs", ErrOtherFile)
	case was != is:
		return fmt.Errorf("%w: that has the build id %s, this one %s", ErrOtherFile, was, orNone(is))
	}
	c.files[path] = file
	c.findRights(path, now)
	return nil
}

func orNone(id string) string {
	if id == "" {
		return "none"
	}
	return id
}

// head is the first page of a mapped file as the core has it; nil: it does not.
func (c *Core) head(path string) []byte {
	for i := range c.Mappings {
		if m := &c.Mappings[i]; m.Path == path && m.Offset == 0 && m.held >= headSize {
			b := make([]byte, headSize)
			if n, _ := c.readMapping(m, b, m.Start); n == len(b) {
				return b
			}
		}
	}
	return nil
}

// headers are the program headers in the first page of an ELF file.
func headers(head []byte) (out []elf.Prog64) {
	var h elf.Header64
	if binary.Read(bytes.NewReader(head), binary.LittleEndian, &h) != nil ||
		string(h.Ident[:len(elf.ELFMAG)]) != elf.ELFMAG || elf.Class(h.Ident[elf.EI_CLASS]) != elf.ELFCLASS64 ||
		h.Phnum > maxHeaders || h.Phoff > uint64(len(head)) {
		return nil
	}
	out = make([]elf.Prog64, h.Phnum)
	if binary.Read(bytes.NewReader(head[h.Phoff:]), binary.LittleEndian, out) != nil {
		return nil
	}
	return out
}

// buildID is the build id that the first page of an ELF file has; empty: none.
func buildID(head []byte) string {
	const note, ntBuildID = 12, 3
	for _, p := range headers(head) {
		if elf.ProgType(p.Type) != elf.PT_NOTE || p.Off > uint64(len(head)) {
			continue
		}
		b := head[p.Off:]
		b = b[:min(uint64(len(b)), p.Filesz)]
		for len(b) >= note {
			name, size := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])
			kind := binary.LittleEndian.Uint32(b[8:])
			b = b[note:]
			at := (uint64(name) + 3) &^ 3
			if at+uint64(size) > uint64(len(b)) {
				break
			}
			if kind == ntBuildID && string(b[:name]) == "GNU\x00" && size > 0 && size <= maxBuildID {
				return hex.EncodeToString(b[at : at+uint64(size)])
			}
			b = b[min(uint64(len(b)), at+(uint64(size)+3)&^3):]
		}
	}
	return ""
}

// findRights tells from the program headers of a file which of its mappings held code or data that may be written,
// where the core has no segment that says so. It goes by addresses, since segments may share a page of the file; but V8
// maps its builtins a second time, elsewhere.
func (c *Core) findRights(path string, head []byte) {
	all := headers(head)
	bias, ok := c.bias(path, all)
	for i := range c.Mappings {
		m := &c.Mappings[i]
		if m.Path != path || !m.noted {
			continue
		}
		flags := rights(all, func(p *elf.Prog64) bool {
			return ok && m.Start < p.Vaddr+bias+p.Filesz && p.Vaddr+bias < m.End
		})
		if flags == 0 {
			flags = rights(all, func(p *elf.Prog64) bool { return p.Off <= m.Offset && m.Offset < p.Off+p.Filesz })
		}
		m.Exec, m.Write = flags&elf.PF_X != 0, flags&elf.PF_W != 0
	}
}

// rights are those of the segments that are chosen.
func rights(all []elf.Prog64, chosen func(*elf.Prog64) bool) (flags elf.ProgFlag) {
	for i := range all {
		if elf.ProgType(all[i].Type) == elf.PT_LOAD && chosen(&all[i]) {
			flags |= elf.ProgFlag(all[i].Flags)
		}
	}
	return flags
}

// bias is the difference of the addresses at which a file was mapped and those in its program headers.
func (c *Core) bias(path string, all []elf.Prog64) (bias uint64, ok bool) {
	for _, m := range c.Mappings {
		for _, p := range all {
			if m.Path == path && m.Offset == 0 && elf.ProgType(p.Type) == elf.PT_LOAD && p.Off == 0 {
				return m.Start - p.Vaddr, true
			}
		}
	}
	return 0, false
}
