package procs

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// rights decide which files a process may open: its file system ids and its supplementary groups. The zero value is
// root's.
type rights struct {
	uid, gid int
	groups   []uint32
}

// rightsOf reads the rights of a process. (Documentation/filesystems/proc.rst, Uid and Gid of /proc/PID/status: real,
// effective, saved, file system)
func rightsOf(pid int) (r rights, err error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return r, err
	}
	return parseRights(b)
}

func parseRights(status []byte) (r rights, err error) {
	uids, _ := StatusField(status, "Uid")
	gids, _ := StatusField(status, "Gid")
	groups, ok := StatusField(status, "Groups")
	if !ok || len(uids) != 4 || len(gids) != 4 {
		return r, errors.New("/proc/PID/status has no Uid, Gid or Groups")
	}
	ids := append([]string{uids[3], gids[3]}, groups...)
	numbers := make([]uint32, len(ids))
	for i, id := range ids {
		n, err := strconv.ParseUint(id, 10, 32)
		if err != nil {
			return r, fmt.Errorf("ids in /proc/PID/status: %w", err)
		}
		numbers[i] = uint32(n)
	}
	return rights{int(numbers[0]), int(numbers[1]), numbers[2:]}, nil
}

// do runs f with these rights, where hotspan runs as root; else with its own. Linux keeps file system ids and groups
// for each thread, so f runs on one of its own, which ends if its rights cannot be put back.
func (r rights) do(f func()) {
	if r.uid == 0 || os.Geteuid() != 0 {
		f()
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine, and its rights with it
		if setGroups(r.groups) == nil && unix.Setfsgid(r.gid) == nil && unix.Setfsuid(r.uid) == nil {
			f()
		}
	}()
	<-done
}

// setGroups sets the supplementary groups of the calling thread. (The function of package unix sets those of all.)
func setGroups(groups []uint32) error {
	var first unsafe.Pointer
	if len(groups) > 0 {
		first = unsafe.Pointer(&groups[0])
	}
	if _, _, errno := unix.RawSyscall(unix.SYS_SETGROUPS, uintptr(len(groups)), uintptr(first), 0); errno != 0 {
		return errno
	}
	return nil
}
