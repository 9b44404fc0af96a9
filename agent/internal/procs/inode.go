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
	device := fmt.Sprintf("%02x:%02x", unix.Major(st.Dev), unix.Minor(st.Dev))
	return Mapping{Inode: st.Ino, Device: device, Path: path}, nil
}
