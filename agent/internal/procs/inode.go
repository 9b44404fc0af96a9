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

// ExecutableID identifies the executable of a process. Like Identify it may differ from what the mappings say.
func ExecutableID(pid int) (FileID, error) {
	var st unix.Stat_t
	if err := unix.Stat(fmt.Sprintf("/proc/%d/exe", Living(pid)), &st); err != nil {
		return FileID{}, fmt.Errorf("executable of process %d: %w", pid, err)
	}
	return fileID(&st), nil
}

func fileID(st *unix.Stat_t) FileID {
	return FileID{fmt.Sprintf("%02x:%02x", unix.Major(st.Dev), unix.Minor(st.Dev)), st.Ino}
}
