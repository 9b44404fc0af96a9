package procs

import (
	"fmt"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Identify returns the Mapping that a process with this file would have, without addresses. On file systems whose
// device numbers differ between mappings and stat, such as overlays, it does not match.
func Identify(path string) (Mapping, error) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return Mapping{}, err
	}
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return Mapping{}, fmt.Errorf("stat %s: %w", path, err)
	}
	id := fileID(&st)
	return Mapping{Inode: id.Inode, Device: id.Device, Path: path}, nil
}

// ExecutableID identifies the executable of a process, without asking its file system. It is not as in the mappings: it
// has no name, and like Identify's the device may be another one.
func ExecutableID(pid int) (FileID, error) {
	st, err := knownStat(fmt.Sprintf("/proc/%d/exe", pid))
	if err != nil { // its first thread may have ended
		st, err = knownStat(fmt.Sprintf("/proc/%d/exe", Living(pid)))
	}
	if err != nil {
		return FileID{}, fmt.Errorf("executable of process %d: %w", pid, err)
	}
	return fileID(&st), nil
}

// StatMapped is that of a file that a process has mapped: what the kernel knows of it, without asking its file system.
// Where the kernel does not permit that it goes by the path below the process's own root, where another file may be.
func StatMapped(pid int, m Mapping) (unix.Stat_t, error) {
	return Within(func() (unix.Stat_t, error) { return statMapped(pid, m) }, func(unix.Stat_t) {})
}

// StatAllMapped calls f with what StatMapped returns for each file that a process has mapped as code. It does not where
// that is an error, and not at all if all together take too long.
func StatAllMapped(pid int, maps []Mapping, f func(Mapping, *unix.Stat_t)) {
	all, _ := Within(func() ([]unix.Stat_t, error) {
		all := make([]unix.Stat_t, len(maps))
		for i, m := range maps {
			if m.Exec && m.Inode != 0 {
				all[i], _ = statMapped(pid, m)
			}
		}
		return all, nil
	}, func([]unix.Stat_t) {})
	for i := range all {
		if all[i].Ino != 0 {
			f(maps[i], &all[i])
		}
	}
}

func statMapped(pid int, m Mapping) (unix.Stat_t, error) {
	if st, err := throughMapping(pid, m, knownStat); err == nil { // waits only while the process locks its memory
		return st, nil
	}
	return knownStat(Path(pid, m))
}

// knownStat is what the kernel knows of a file: a file system that is a program, or on another machine, is not asked.
// The links of /proc lead to a file without a look at the directories above it. (statx(2), AT_STATX_DONT_SYNC)
func knownStat(path string) (st unix.Stat_t, err error) {
	var x unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, path, unix.AT_STATX_DONT_SYNC, unix.STATX_BASIC_STATS, &x); err != nil {
		return st, err
	}
	st.Dev, st.Ino, st.Size = unix.Mkdev(x.Dev_major, x.Dev_minor), x.Ino, int64(x.Size)
	st.Mtim = unix.Timespec{Sec: x.Mtime.Sec, Nsec: int64(x.Mtime.Nsec)}
	st.Ctim = unix.Timespec{Sec: x.Ctime.Sec, Nsec: int64(x.Ctime.Nsec)}
	return st, nil
}
