package procs

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

var errReplaced = errors.New("another file has its name now")

// checkMapped returns an error if a file is not the one that a process has mapped. It is if it has the mapping's inode
// on the mapping's device. On overlayfs and btrfs files have another device than their mappings: there what is mapped
// must be what the file has at that place. (Linux: Documentation/filesystems/overlayfs.rst, "Inode properties";
// fs/btrfs/inode.c, btrfs_getattr)
func checkMapped(pid int, m Mapping, f *os.File, st *unix.Stat_t) error {
	switch id := fileID(st); {
	case id.Inode != m.Inode:
		return errReplaced
	case id.Device == m.Device:
		return nil
	}
	return checkText(pid, m, f)
}

// Surely reports whether a file that Open has returned is the mapped one for certain: by its inode and device. What is
// on overlayfs or btrfs only looks like it, by what the process had mapped a moment ago and may have changed twice.
func (m Mapping) Surely(f *os.File) bool {
	st, err := StatFile(f)
	return err == nil && fileID(&st) == FileID{m.Device, m.Inode}
}

// checkLinked is checkMapped for a file that was opened through the mapping, which was read a while ago: the process
// may have mapped another file there. An overlay of several file systems may also have another inode.
func checkLinked(pid int, m Mapping, f *os.File, st *unix.Stat_t) error {
	switch id := fileID(st); {
	case id.Device == m.Device && id.Inode == m.Inode:
		return nil
	case id.Device == m.Device:
		return errReplaced
	}
	still := false
	err := checkText(pid, m, f)
	if err == nil {
		err = EachMapping(pid, func(now Mapping) { still = still || now == m })
	}
	if err == nil && !still {
		err = errReplaced
	}
	return err
}

func checkText(pid int, m Mapping, f *os.File) error {
	same, err := Within(func() (bool, error) { return hasText(pid, m, f) }, func(bool) {})
	if err == nil && !same {
		err = errReplaced
	}
	return err
}

// hasText reports whether a file has what is mapped of it: on two of three pages at least, since a breakpoint may be on
// one.
func hasText(pid int, m Mapping, f *os.File) (bool, error) {
	mem, err := os.Open(fmt.Sprintf("/proc/%d/mem", Living(pid)))
	if err != nil {
		return false, err
	}
	defer mem.Close()
	page := uint64(os.Getpagesize())
	same, mapped, file := 0, make([]byte, page), make([]byte, page)
	for _, at := range []uint64{0, (m.End - m.Start) / 2 / page * page, m.End - m.Start - page} {
		n, _ := f.ReadAt(file, int64(m.Offset+at)) // the file may end in the page
		if _, err := mem.ReadAt(mapped, int64(m.Start+at)); err != nil {
			return false, fmt.Errorf("what is mapped of it: %w", err)
		}
		if n > 0 && bytes.Equal(file[:n], mapped[:n]) {
			same++
		}
	}
	return same >= 2, nil
}

func fileID(st *unix.Stat_t) FileID {
	return FileID{fmt.Sprintf("%02x:%02x", unix.Major(st.Dev), unix.Minor(st.Dev)), st.Ino}
}
