package bpftest

import (
	"cmp"
	"fmt"
	"slices"

	"golang.org/x/sys/unix"
)

// PageSize is the kernel's.
const PageSize = 4096

// Page is a piece of memory; both its address and its size are multiples of PageSize.
type Page struct {
	Addr uint64
	Data []byte
}

// mapPages puts pages at their addresses, readable and present: the BPF program's reads do not wait for a page to be
// brought in. The returned function takes them away again, also where there is an error.
func mapPages(pages []Page) (unmap func(), err error) {
	pages = slices.SortedFunc(slices.Values(pages), func(a, b Page) int { return cmp.Compare(a.Addr, b.Addr) })
	var mapped []Page
	unmap = func() {
		for _, p := range mapped {
			unix.Syscall(unix.SYS_MUNMAP, uintptr(p.Addr), uintptr(len(p.Data)), 0)
		}
	}
	fd, err := unix.MemfdCreate("pages", unix.MFD_CLOEXEC)
	if err != nil {
		return unmap, fmt.Errorf("memory for pages: %w", err)
	}
	defer unix.Close(fd)
	at := 0
	for _, p := range joined(pages) {
		if err := mapAt(fd, at, p); err != nil {
			return unmap, fmt.Errorf("map %d bytes at 0x%x: %w", len(p.Data), p.Addr, err)
		}
		mapped = append(mapped, p)
		at += len(p.Data)
	}
	return unmap, nil
}

// mapAt maps a page through a file, so that its address never is a pointer of Go's.
func mapAt(fd, at int, p Page) error {
	if len(p.Data) == 0 || len(p.Data)%PageSize != 0 || p.Addr%PageSize != 0 {
		return unix.EINVAL
	}
	if _, err := unix.Pwrite(fd, p.Data, int64(at)); err != nil {
		return err
	}
	const flags = unix.MAP_PRIVATE | unix.MAP_POPULATE | unix.MAP_FIXED_NOREPLACE
	got, _, errno := unix.Syscall6(unix.SYS_MMAP,
		uintptr(p.Addr), uintptr(len(p.Data)), unix.PROT_READ, flags, uintptr(fd), uintptr(at))
	if errno != 0 {
		return errno
	}
	if got != uintptr(p.Addr) { // a kernel before 4.17 takes the address for a hint
		unix.Syscall(unix.SYS_MUNMAP, got, uintptr(len(p.Data)), 0)
		return unix.EEXIST
	}
	return nil
}

// joined makes one page of those that follow each other: fewer calls.
func joined(pages []Page) []Page {
	var out []Page
	for _, p := range pages {
		if n := len(out); n > 0 && out[n-1].Addr+uint64(len(out[n-1].Data)) == p.Addr {
			out[n-1].Data = slices.Concat(out[n-1].Data, p.Data)
		} else {
			out = append(out, p)
		}
	}
	return out
}
