package elffile

import (
	"os"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/procs"
)

// stamp distinguishes a file from a later one with the same device and inode: file systems reuse inodes.
type stamp struct {
	inode         uint64
	size          int64
	written, made unix.Timespec
}

// stampOf returns the stamp of a file; the zero stamp if there is none.
func stampOf(path string) stamp {
	st, err := procs.Stat(path)
	if err != nil {
		return stamp{}
	}
	return newStamp(&st)
}

// stampOfFile is that of a file that is open.
func stampOfFile(f *os.File) stamp {
	st, err := procs.StatFile(f)
	if err != nil {
		return stamp{}
	}
	return newStamp(&st)
}

func newStamp(st *unix.Stat_t) stamp { return stamp{st.Ino, st.Size, st.Mtim, st.Ctim} }
