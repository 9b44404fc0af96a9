package bpf

import (
	"os"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"
)

// MapID is the kernel's number of a BPF map; 0: of none.
type MapID = ebpf.MapID

// MapIDOf returns the number of the map that a file is.
func MapIDOf(f *os.File) (MapID, error) {
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	m, err := ebpf.NewMapFromFD(fd)
	if err != nil {
		return 0, err
	}
	defer m.Close()
	info, err := m.Info()
	if err != nil {
		return 0, err
	}
	id, _ := info.ID()
	return id, nil
}

// MapExists reports whether a map is there: while somebody has it open or mapped. The kernel tells CAP_SYS_ADMIN only:
// without it the answer is always no.
func MapExists(id MapID) bool {
	m, err := ebpf.NewMapFromID(id)
	if err != nil {
		return false
	}
	m.Close()
	return true
}
