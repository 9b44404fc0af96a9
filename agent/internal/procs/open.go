package procs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// ErrNoPath says that a file has no path any more: it was deleted or replaced, or was never below the process's root.
var ErrNoPath = errors.New("the file has no path any more")

// Open opens a file that a process has mapped, without blocking, if it is a regular one: through the mapping itself,
// or, where the kernel does not permit that, by its path below the process's own root, or as the process's executable.
// The error is ErrNoPath where all would be well but for the path. It is ErrSlow only if the file itself is slow, not
// if its path in this process is.
func Open(pid int, m Mapping) (*os.File, error) {
	f, err := openThrough(pid, m)
	if err != nil && !errors.Is(err, ErrSlow) && !errors.Is(err, errNotRegular) && !errors.Is(err, errKernelFile) {
		var otherwise error
		if f, otherwise = openOtherwise(pid, m); otherwise != nil {
			otherwise = errors.Join(err, otherwise)
		}
		err = otherwise
	}
	if err != nil {
		return nil, fmt.Errorf("open %s, mapped by process %d: %w", m.Path, pid, err)
	}
	return f, nil
}

// openThrough opens a file through its mapping, unless that is another file's by now.
func openThrough(pid int, m Mapping) (*os.File, error) {
	f, err := throughMapping(pid, m, openMapped)
	if err != nil {
		return nil, err
	}
	st, err := StatFile(f)
	if err == nil {
		err = checkLinked(pid, m, f, &st)
	}
	if err != nil {
		go Close(f)
		return nil, err
	}
	return f, nil
}

// throughMapping calls f with the link of a mapping to its file: that of another thread if there is none of the first.
func throughMapping[T any](pid int, m Mapping, f func(link string) (T, error)) (T, error) {
	link := func(tid int) string { return fmt.Sprintf("/proc/%d/map_files/%x-%x", tid, m.Start, m.End) }
	v, err := f(link(pid))
	if err != nil {
		if tid := Living(pid); tid != pid {
			return f(link(tid))
		}
	}
	return v, err
}

// openMapped opens a link of /proc/PID/map_files. It takes CAP_CHECKPOINT_RESTORE or CAP_SYS_ADMIN.
func openMapped(link string) (*os.File, error) {
	return Within(func() (*os.File, error) { return openLink(link) }, func(f *os.File) { f.Close() })
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

// openOtherwise opens a file by its path, or as the executable: that link stays when the path is gone, and takes no
// more than the right to read the process's memory. (Linux: fs/proc/base.c, proc_pid_get_link)
func openOtherwise(pid int, m Mapping) (*os.File, error) {
	f, err := openByPath(pid, m)
	if err == nil {
		return f, nil
	}
	if f := openExecutable(pid, m); f != nil {
		return f, nil
	}
	switch {
	case errors.Is(err, ErrSlow):
		err = errors.New(err.Error())
	case !errors.Is(err, fs.ErrPermission) && !errors.Is(err, ErrBusy):
		err = fmt.Errorf("%w: %w", ErrNoPath, err)
	}
	return nil, err
}

// openExecutable opens the executable of a process if that is what is mapped; else nil.
func openExecutable(pid int, m Mapping) *os.File {
	f, err := openMapped(fmt.Sprintf("/proc/%d/exe", Living(pid)))
	if err != nil {
		return nil
	}
	st, err := StatFile(f)
	if err == nil {
		err = checkMapped(pid, m, f, &st)
	}
	if err != nil {
		Close(f)
		return nil
	}
	return f
}

func openByPath(pid int, m Mapping) (*os.File, error) {
	root, err := OpenRootDir(Root(pid))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, st, err := root.Open(m.FilePath())
	if err != nil {
		return nil, err
	}
	if err := checkMapped(pid, m, f, st); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
