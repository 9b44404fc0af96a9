package procs

import (
	"errors"
	"os"
	"os/user"
	"strconv"
)

var errNoCaller = errors.New("hotspan runs as root, and not by sudo of another user: files whose names come from " +
	"the process that was profiled are not read with root's rights")

// OpenCallerRoot opens the root of this machine. Its files are opened with the rights of the user who called, which of
// root is the one who called sudo; if there is none, it is an error.
func OpenCallerRoot() (*RootDir, error) {
	of, err := caller()
	if err != nil {
		return nil, err
	}
	r, err := OpenRootDir("/")
	if err == nil {
		r.rights = func() rights { return of }
	}
	return r, err
}

// caller returns the rights of the user who called, less those of the group root.
func caller() (of rights, err error) {
	if os.Geteuid() != 0 {
		groups, err := os.Getgroups()
		return rights{os.Geteuid(), os.Getegid(), numbers(groups)}, err
	}
	of.uid = id("SUDO_UID")
	of.gid = id("SUDO_GID")
	if of.uid <= 0 || of.gid <= 0 {
		return of, errNoCaller
	}
	u, err := user.LookupId(strconv.Itoa(of.uid))
	if err != nil {
		return of, nil // a user without a name has no other groups
	}
	var groups []int
	ids, _ := u.GroupIds() // of none that cannot be read
	for _, text := range ids {
		if n, err := strconv.Atoi(text); err == nil && n > 0 {
			groups = append(groups, n)
		}
	}
	of.groups = numbers(groups)
	return of, nil
}

// id returns an id that sudo has put into the environment, or 0.
func id(variable string) int {
	n, err := strconv.ParseUint(os.Getenv(variable), 10, 31)
	if err != nil {
		return 0
	}
	return int(n)
}

func numbers(ids []int) (list []uint32) {
	for _, n := range ids {
		list = append(list, uint32(n))
	}
	return list
}
