package elffile

import (
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/procs"
)

// stamp distinguishes a file from a later one with the same device and inode: file systems reuse inodes.
type stamp struct {
	inode         uint64
	size          int64
	written, made unix.Timespec
}

// stampOf returns the stamp of a file that a process has mapped; the zero stamp if there is none.
func stampOf(pid int, m procs.Mapping) stamp {
	st, err := procs.StatMapped(pid, m)
	if err != nil {
		return stamp{}
	}
	return newStamp(&st)
}

// stampsOf returns the stamps of the files that a process has mapped as code.
func stampsOf(pid int, maps []procs.Mapping) map[procs.Mapping]stamp {
	all := map[procs.Mapping]stamp{}
	procs.StatAllMapped(pid, maps, func(m procs.Mapping, st *unix.Stat_t) { all[m] = newStamp(st) })
	return all
}

// replacedBy reports whether another file has taken the place of the one with a stamp. If its path is gone, a process
// still has the file mapped, so its inode is not reused.
func (s stamp) replacedBy(now stamp) bool {
	return s.inode != 0 && now.inode == s.inode && (now.size != s.size || now.written != s.written)
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

// original tells a file whose bytes are those that were read once: each change of a file sets its time of status change
// to that of the kernel's clock, which nobody but root sets. The zero original tells nothing.
type original struct {
	device uint64
	stamp  stamp
}

// settled is how long after its last change a file is told: ext4 may have times of whole seconds, one for two changes.
const settled = 2 * time.Second

// originalOf is zero for a file that was changed just now, and for one that is not in ext4 or XFS. The times of other
// file systems may be up to whoever has made or mounted them, as those of SquashFS, or the number of their device may
// be another's later, as that of overlayfs.
func originalOf(st *unix.Stat_t, fileSystem int64, now time.Time) original {
	tells := fileSystem == unix.EXT4_SUPER_MAGIC || fileSystem == unix.XFS_SUPER_MAGIC
	if !tells || now.Sub(time.Unix(st.Ctim.Unix())) < settled {
		return original{}
	}
	return original{st.Dev, newStamp(st)}
}

// probed is whether a file has V8, or why that is not known.
type probed struct {
	stamp stamp
	has   bool
	err   error
	until time.Time // for which err holds
}
