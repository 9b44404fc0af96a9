package elffile

import (
	"os"

	"golang.org/x/sys/unix"
)

// stamp distinguishes a file from a later one with the same device and inode: file systems reuse inodes.
type stamp struct {
	inode         uint64
	size          int64
	written, made unix.Timespec
}

// stampOf returns the stamp of a file; the zero stamp if there is none.
func stampOf(path string) stamp {
	var st unix.Stat_t
	if unix.Stat(path, &st) != nil {
		return stamp{}
	}
	return newStamp(&st)
}

// stampOfFile is that of a file that is open.
func stampOfFile(f *os.File) stamp {
	var st unix.Stat_t
	if unix.Fstat(int(f.Fd()), &st) != nil {
		return stamp{}
	}
	return newStamp(&st)
}

func newStamp(st *unix.Stat_t) stamp { return stamp{st.Ino, st.Size, st.Mtim, st.Ctim} }

// replaced reports whether another file has taken the path of f. If the path is gone, a process still has the file
// mapped, so its inode is not reused.
func (f *File) replaced(path string) bool {
	now := stampOf(path)
	return f.stamp.inode != 0 && now.inode == f.stamp.inode &&
		(now.size != f.stamp.size || now.written != f.stamp.written)
}
