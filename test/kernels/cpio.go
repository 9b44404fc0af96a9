package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// archive writes an initramfs: a cpio archive in the format newc. (Linux:
// Documentation/driver-api/early-userspace/buffer-format.rst)
type archive struct {
	to    io.Writer
	inode int
	dirs  map[string]bool
	err   error
}

func newArchive(to io.Writer) *archive {
	return &archive{to: to, dirs: map[string]bool{"/": true, ".": true}}
}

func (a *archive) write(b []byte) {
	if a.err == nil {
		_, a.err = a.to.Write(b)
	}
}

func (a *archive) entry(name string, mode uint32, content []byte) {
	a.inode++
	head := "070701"
	for _, n := range []int{a.inode, int(mode), 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name) + 1, 0} {
		head += fmt.Sprintf("%08x", n)
	}
	a.padded([]byte(head + name + "\x00"))
	a.padded(content)
}

// padded writes b, and zeros up to a multiple of four bytes.
func (a *archive) padded(b []byte) {
	a.write(b)
	a.write(make([]byte, (4-len(b)%4)%4))
}

// Types of entries. (inode(7))
const (
	regular, directory, link = 0o100000, 0o040000, 0o120000
)

// parents adds the folders above a name.
func (a *archive) parents(name string) {
	if dir := filepath.Dir(name); !a.dirs[dir] {
		a.parents(dir)
		a.dirs[dir] = true
		a.entry(strings.TrimPrefix(dir, "/"), directory|0o755, nil)
	}
}

// add adds a file, or a folder with all that is in it, under a name.
func (a *archive) add(name, from string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		to := filepath.Join(name, strings.TrimPrefix(path, from))
		a.parents(to)
		if d.Type()&fs.ModeSymlink != 0 && path != from {
			target, err := os.Readlink(path)
			a.entry(strings.TrimPrefix(to, "/"), link|0o777, []byte(target))
			return err
		}
		content, err := os.ReadFile(path)
		a.entry(strings.TrimPrefix(to, "/"), regular|0o755, content)
		return err
	})
}

func (a *archive) end() error {
	a.entry("TRAILER!!!", 0, nil)
	return a.err
}
