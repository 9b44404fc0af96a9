package procs

import (
	"fmt"
	"strconv"
)

// User is who has started a process, by the real user id: whose rights its program takes changes nothing.
type User int

// Nobody is in the place of a user for files that are of no process, and for processes that have ended.
const Nobody = User(-1)

// UserOf returns the user of a process.
func UserOf(pid int) User {
	b, err := readProc(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return Nobody
	}
	ids, _ := StatusField(b, "Uid")
	if len(ids) == 0 {
		return Nobody
	}
	id, err := strconv.ParseUint(ids[0], 10, 32)
	if err != nil {
		return Nobody
	}
	return User(id)
}
