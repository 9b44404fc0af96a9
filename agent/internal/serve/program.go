package serve

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/hotspan/hotspan/agent/internal/procs"
)

// program is what a process runs with the rights of a user, from one execve to the next. A connection outlives it: who
// holds one may have the process run a program that may do more, whose samples are not for that user. The kernel ends
// its own profiles there too (linux/kernel/events/core.c, perf_event_exec; fs/exec.c, begin_new_exec).
type program struct {
	pid     int
	uid     uint32
	started uint64
	placed  string   // empty: it never passes a check
	memory  *os.File // /proc/PID/pagemap, which stays that of the program; nil: only root may open it
}

// openProgram returns what a process runs now. If its rights are not only those of the user, it never passes a check.
// The caller closes it.
func openProgram(pid int, uid uint32) *program {
	p := &program{pid: pid, uid: uid}
	p.memory, _ = os.Open(fmt.Sprintf("/proc/%d/pagemap", pid))
	p.started, p.placed = procs.Started(pid), procs.Placed(pid)
	if p.check() != nil {
		p.close()
		return &program{}
	}
	return p
}

func (p *program) close() {
	if p != nil {
		p.memory.Close() // nil is fine
	}
}

var errOther = status.Error(codes.PermissionDenied, "the process that connected runs another program now, or its "+
	"rights are not its user's: it may be set-user-ID, or its file may have capabilities")

// check returns errOther unless the process still runs the program, with the rights of the user and no more. That of a
// caller that may have everything is nil, and passes.
func (p *program) check() error {
	switch {
	case p == nil:
		return nil
	case p.placed == "", procs.Started(p.pid) != p.started, !onlyUser(p.pid, p.uid), !ownedBy(p.pid, p.uid):
		return errOther
	case procs.Placed(p.pid) != p.placed, p.gone(): // last: it tells of all the time before
		return errOther
	}
	return nil
}

// gone reports whether the memory of the program is. The kernel refuses to read a part of an entry, without a look at
// any page; of memory that is gone there is nothing to refuse. (linux/fs/proc/task_mmu.c, pagemap_read)
func (p *program) gone() bool {
	if p.memory == nil {
		return false
	}
	_, err := p.memory.ReadAt(make([]byte, 1), 0)
	return !errors.Is(err, unix.EINVAL)
}

// onlyUser reports whether a process has no user id but that one: not real, effective, saved or of the file system.
func onlyUser(pid int, uid uint32) bool {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	ids, _ := procs.StatusField(b, "Uid")
	for _, id := range ids {
		if id != strconv.FormatUint(uint64(uid), 10) {
			return false
		}
	}
	return len(ids) == 4
}

// ownedBy reports whether what the kernel tells of a process belongs to a user. Of one that is not dumpable it is
// root's: it has more rights, or has had them, by the set-user-ID bit or capabilities of its file, or runs one that the
// user may not read. (proc(5); the directory itself is always the user's)
func ownedBy(pid int, uid uint32) bool {
	var st unix.Stat_t
	return unix.Stat(fmt.Sprintf("/proc/%d/status", pid), &st) == nil && st.Uid == uid
}
