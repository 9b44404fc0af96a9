package procs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// Open opens a file that a process has mapped, without blocking, if it is a regular one: through the mapping itself,
// or, where the kernel does not permit that, by its path below the process's own root.
// The error is ErrSlow only if the file itself is slow, not if its path in this process is.
func Open(pid int, m Mapping) (*os.File, error) {
	f, err := openMapped(mappedLink(pid, m))
	if errors.Is(err, ErrSlow) {
		return nil, fmt.Errorf("open %s, mapped by process %d: %w", m.Path, pid, err)
	}
	if err != nil {
		var byPath error
		if f, byPath = openByPath(pid, m); byPath != nil {
			if errors.Is(byPath, ErrSlow) {
				byPath = errors.New(byPath.Error())
			}
			return nil, fmt.Errorf("open %s, mapped by process %d: %w", m.Path, pid, errors.Join(err, byPath))
		}
	}
	return f, nil
}

// mappedLink is the link of a mapping to its file.
func mappedLink(pid int, m Mapping) string {
	return fmt.Sprintf("/proc/%d/map_files/%x-%x", Living(pid), m.Start, m.End)
}

// openMapped opens a link of /proc/PID/map_files. It takes CAP_CHECKPOINT_RESTORE or CAP_SYS_ADMIN.
func openMapped(link string) (*os.File, error) {
	return within(func() (*os.File, error) { return openLink(link) }, func(f *os.File) { f.Close() })
}

func openLink(link string) (*os.File, error) {
	fd, err := unix.Open(link, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: link, Err: err}
	}
	defer unix.Close(fd)
	f, _, err := openRegular(fd, link)
	return f, err
}

func openByPath(pid int, m Mapping) (*os.File, error) {
	root, err := OpenRootDir(Root(pid))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, st, err := root.Open(strings.TrimSuffix(m.Path, " (deleted)"))
	if err != nil {
		return nil, err
	}
	if err := checkMapped(pid, m, f, st); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
