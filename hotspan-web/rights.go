package main

import (
	"errors"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// account is what a process may do, and where it keeps settings.
type account struct {
	uid, gid int
	groups   []int
	home     string
}

// nobody may do nothing.
var nobody = account{uid: 65534, gid: 65534, home: "/nonexistent"}

// giveUpRoot becomes the user who called sudo, or nobody if root itself called. A profile names files, by names that
// come from the process that was profiled: source says whether these may be read, which is with a user's rights only.
func giveUpRoot() (source bool, err error) {
	if os.Geteuid() != 0 {
		return true, nil
	}
	to, source := caller()
	path := os.Getenv("PATH")
	os.Clearenv() // the rest is root's
	return source, errors.Join(os.Setenv("PATH", path), os.Setenv("HOME", to.home), syscall.Setgroups(to.groups),
		syscall.Setgid(to.gid), syscall.Setuid(to.uid))
}

// caller returns the account of the user who called sudo, and nobody's and false if there is none.
func caller() (account, bool) {
	uid, err := strconv.Atoi(os.Getenv("SUDO_UID"))
	if err != nil || uid <= 0 {
		return nobody, false
	}
	gid, err := strconv.Atoi(os.Getenv("SUDO_GID"))
	if err != nil || gid <= 0 {
		gid = nobody.gid
	}
	a := account{uid: uid, gid: gid, home: nobody.home}
	u, err := user.LookupId(strconv.Itoa(uid))
	if err != nil {
		return a, true
	}
	a.home = u.HomeDir
	ids, _ := u.GroupIds() // of none that cannot be read
	for _, id := range ids {
		if n, err := strconv.Atoi(id); err == nil && n > 0 {
			a.groups = append(a.groups, n)
		}
	}
	return a, true
}
