// Package trusted opens directories that nobody else can write to.
package trusted

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// ErrUntrusted says that somebody else could write to a directory, or to one above it.
var ErrUntrusted = errors.New("others could write to it")

// Open makes a directory and those above it where they are missing, and opens it. Each of them must belong to
// this user or to root, and nobody else may write to it; to a directory above they may if it is sticky, as /tmp. The
// last one must be this user's. The error is ErrUntrusted where that is not so.
func Open(path string) (*os.Root, error) {
	if !filepath.IsAbs(path) {
		return nil, fmt.Errorf("%s: not an absolute path", path)
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, err
	}
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	fd, err := walk(path)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	return os.OpenRoot(fmt.Sprintf("/proc/self/fd/%d", fd))
}

// walk opens a directory from the root on, without following links, and checks each on the way.
func walk(path string) (int, error) {
	const flags = unix.O_PATH | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
	fd, err := unix.Open("/", flags, 0)
	if err != nil {
		return -1, &os.PathError{Op: "open", Path: "/", Err: err}
	}
	names := strings.Split(strings.Trim(path, "/"), "/")
	for i, name := range names {
		next, err := unix.Openat(fd, name, flags, 0)
		unix.Close(fd)
		at := "/" + filepath.Join(names[:i+1]...)
		if err != nil {
			return -1, &os.PathError{Op: "open", Path: at, Err: err}
		}
		fd = next
		if err := check(fd, i == len(names)-1); err != nil {
			unix.Close(fd)
			return -1, fmt.Errorf("%s: %w", at, err)
		}
	}
	return fd, nil
}

func check(fd int, last bool) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	own := int(st.Uid) == os.Geteuid()
	shared := st.Mode&(unix.S_IWGRP|unix.S_IWOTH) != 0
	if last && !own || !own && st.Uid != 0 {
		return fmt.Errorf("it belongs to user %d: %w", st.Uid, ErrUntrusted)
	}
	if shared && (last || st.Mode&unix.S_ISVTX == 0) {
		return fmt.Errorf("its mode is %#o: %w", st.Mode&0o7777, ErrUntrusted)
	}
	return nil
}
