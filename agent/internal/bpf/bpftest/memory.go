package bpftest

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sys/unix"
)

// PageSize is the kernel's.
const PageSize = 4096

// Page is a piece of memory; both its address and its size are multiples of PageSize.
type Page struct {
	Addr uint64
	Data []byte
}

// memory is what the runs of this process have put into its address space, by a file of which it is parts.
type memory struct {
	sync.Mutex // pages of two runs would overlap
	file       int
	spans      []span
}

// span is a piece of the address space.
type span struct{ addr, size uint64 }

// show puts pages at their addresses, readable and present: the BPF program's reads do not wait for a page to be
// brought in. Those of the last run are taken away. Where they had the same addresses they are written anew, which is
// faster.
func (m *memory) show(pages []Page) error {
	pages = slices.SortedFunc(slices.Values(pages), func(a, b Page) int { return cmp.Compare(a.Addr, b.Addr) })
	spans, err := spansOf(pages)
	if err != nil {
		return err
	}
	if !slices.Equal(spans, m.spans) {
		if err := m.mapAll(spans); err != nil {
			m.hide()
			return err
		}
	}
	at := int64(0)
	for _, p := range pages {
		if _, err := unix.Pwrite(m.file, p.Data, at); err != nil {
			return fmt.Errorf("write %d bytes for 0x%x: %w", len(p.Data), p.Addr, err)
		}
		at += int64(len(p.Data))
	}
	return nil
}

// spansOf returns where pages are: those that follow each other need one call.
func spansOf(pages []Page) (out []span, err error) {
	for _, p := range pages {
		if len(p.Data) == 0 || len(p.Data)%PageSize != 0 || p.Addr%PageSize != 0 {
			return nil, fmt.Errorf("%d bytes at 0x%x are no pages", len(p.Data), p.Addr)
		}
		size := uint64(len(p.Data))
		if n := len(out); n > 0 && out[n-1].addr+out[n-1].size == p.Addr {
			out[n-1].size += size
		} else {
			out = append(out, span{p.Addr, size})
		}
	}
	return out, nil
}

// mapAll maps a new file, so that addresses never are pointers of Go's.
func (m *memory) mapAll(spans []span) (err error) {
	m.hide()
	if m.file, err = unix.MemfdCreate("pages", unix.MFD_CLOEXEC); err != nil {
		return fmt.Errorf("memory for pages: %w", err)
	}
	size := uint64(0)
	for _, s := range spans {
		size += s.size
	}
	if err := unix.Ftruncate(m.file, int64(size)); err != nil {
		return fmt.Errorf("memory for pages: %w", err)
	}
	at := uint64(0)
	for _, s := range spans {
		if err := mapAt(m.file, at, s); err != nil {
			return fmt.Errorf("map %d bytes at 0x%x: %w", s.size, s.addr, err)
		}
		m.spans = append(m.spans, s)
		at += s.size
	}
	return nil
}

func mapAt(file int, offset uint64, s span) error {
	const flags = unix.MAP_SHARED | unix.MAP_POPULATE | unix.MAP_FIXED_NOREPLACE
	got, _, errno := unix.Syscall6(unix.SYS_MMAP,
		uintptr(s.addr), uintptr(s.size), unix.PROT_READ, flags, uintptr(file), uintptr(offset))
	if errno != 0 {
		return errno
	}
	if got != uintptr(s.addr) { // a kernel before 4.17 takes the address for a hint
		unix.Syscall(unix.SYS_MUNMAP, got, uintptr(s.size), 0)
		return unix.EEXIST
	}
	return nil
}

// hide takes away what the last run has put there.
func (m *memory) hide() {
	for _, s := range m.spans {
		unix.Syscall(unix.SYS_MUNMAP, uintptr(s.addr), uintptr(s.size), 0)
	}
	if m.file > 0 {
		unix.Close(m.file)
	}
	m.file, m.spans = 0, nil
}
