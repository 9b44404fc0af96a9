package procs

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
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
	found := 0
	for line := range bytes.Lines(status) {
		key, value, _ := strings.Cut(string(line), ":")
		ids := strings.Fields(value)
		switch {
		case key == "Uid" && len(ids) == 4:
			r.uid, err = strconv.Atoi(ids[3])
			found++
		case key == "Gid" && len(ids) == 4:
			r.gid, err = strconv.Atoi(ids[3])
			found++
		case key == "Groups":
			for _, id := range ids {
				n, groupErr := strconv.ParseUint(id, 10, 32)
				r.groups, err = append(r.groups, uint32(n)), groupErr
			}
			found++
		}
		if err != nil {
			return rights{}, fmt.Errorf("%s of /proc/PID/status: %w", key, err)
		}
	}
	if found != 3 {
		return rights{}, fmt.Errorf("/proc/PID/status has no Uid, Gid or Groups")
	}
	return r, nil
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
