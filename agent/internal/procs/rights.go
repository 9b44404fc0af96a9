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

// rights decide which files a process may open: its file system ids and its supplementary groups.
type rights struct {
	uid, gid int
	groups   []uint32
}

// rightsOf reads the rights of a process. (Documentation/filesystems/proc.rst, Uid and Gid of /proc/PID/status: real,
// effective, saved, file system)
func rightsOf(pid int) (r rights, err error) {
	b, err := readProc(fmt.Sprintf("/proc/%d/status", pid))
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

// do runs f with these rights. That takes CAP_SETUID and CAP_SETGID. Without them a user other than root has f run with
// its own rights, and root does not run it. Capabilities that open any file count only for a process of root's where
// hotspan is root's too. Linux keeps all of this for each thread: call it on a goroutine that ends soon, and that
// thread with it.
func (r rights) do(f func()) {
	if r.uid == 0 && os.Geteuid() == 0 {
		f()
		return
	}
	runtime.LockOSThread() // never unlocked
	if r.take() == nil {
		f()
	}
}

// take gives the calling thread these rights, and takes those from it that open any file.
func (r rights) take() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var sets [2]unix.CapUserData // each capability is a bit: 32 in each
	if err := unix.Capget(&header, &sets[0]); err != nil {
		return err
	}
	const ids = 1<<unix.CAP_SETUID | 1<<unix.CAP_SETGID
	if sets[0].Effective&ids == ids {
		if err := r.takeIDs(); err != nil {
			return err
		}
	} else if os.Geteuid() == 0 {
		return errNoRights // the own rights of root, whose files are not the process's, would be left
	}
	// other file system ids may have changed the sets
	if err := unix.Capget(&header, &sets[0]); err != nil {
		return err
	}
	sets[0].Effective &^= 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_DAC_READ_SEARCH
	return unix.Capset(&header, &sets[0])
}

// takeIDs sets the groups and the file system ids of the calling thread. The kernel does not say whether it took an id.
func (r rights) takeIDs() error {
	if err := setGroups(r.groups); err != nil {
		return err
	}
	unix.SetfsgidRetGid(r.gid)
	unix.SetfsuidRetUid(r.uid)
	gid, err1 := unix.SetfsgidRetGid(-1)
	uid, err2 := unix.SetfsuidRetUid(-1)
	if gid != r.gid || uid != r.uid {
		return errors.Join(errNoRights, err1, err2)
	}
	return nil
}

var errNoRights = errors.New("the rights of the process's user cannot be taken")

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
