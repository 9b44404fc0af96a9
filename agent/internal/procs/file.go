package procs

import (
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// openProc opens a file of /proc. os.Open makes six system calls more, to learn that nothing tells when there is more
// to read.
func openProc(path string) (*os.File, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(fd), path), nil
}

// readProc reads a file of /proc.
func readProc(path string) ([]byte, error) {
	f, err := openProc(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}
