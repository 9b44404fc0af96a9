package serve

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"

	"github.com/hotspan/hotspan/agent/internal/procs"
)

// caller is who is at the other end of a connection. It may have everything, or what is of its own process.
type caller struct {
	all  bool
	uid  uint32
	pid  int
	born int64    // when the process started, Unix time in nanoseconds
	runs *program // what the process must still run when it gets something; nil if it may have everything
}

// AuthType implements credentials.AuthInfo.
func (caller) AuthType() string { return "unix" }

// callerKey finds the caller in the context of an HTTP request.
type callerKey struct{}

func callerOf(ctx context.Context) (caller, error) {
	if p, ok := peer.FromContext(ctx); ok {
		switch info := p.AuthInfo.(type) {
		case caller:
			return info, nil
		case network: // the token was right
			return caller{all: true}, nil
		}
	}
	return caller{}, status.Error(codes.Unauthenticated, "the connection does not say who you are")
}

// identify returns who has connected. Root, the user of this process and the members of a group may have everything,
// if they are in the user and PID namespace of this process: root of a container is somebody else.
func identify(c *net.UnixConn, group int) (who caller, err error) {
	err = withFD(c, func(fd int) (err error) {
		who, err = identifyFD(fd, group)
		return err
	})
	return who, err
}

// withFD calls do with the descriptor of a socket.
func withFD(c syscall.Conn, do func(fd int) error) error {
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	controlErr := raw.Control(func(fd uintptr) { err = do(int(fd)) })
	return errors.Join(controlErr, err)
}

// isOwn reports whether a user is root, or the one as whom hotspan runs.
func isOwn(uid uint32) bool { return uid == 0 || int(uid) == os.Geteuid() }

var errGone = errors.New("the process that connected has ended")

func identifyFD(fd, group int) (who caller, err error) {
	peer, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return who, os.NewSyscallError("SO_PEERCRED", err)
	}
	who = caller{uid: peer.Uid, pid: int(peer.Pid), born: born(int(peer.Pid), time.Now())}
	who.all = sameNamespaces(who.pid) && (isOwn(peer.Uid) || group >= 0 && inGroup(who.pid, peer, group))
	// The process could have ended since it connected, and another have its pid.
	pidfd, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_PEERPIDFD) // since Linux 6.5
	if err == nil {
		defer unix.Close(pidfd)
		err = unix.PidfdSendSignal(pidfd, 0, nil, 0)
	}
	if errors.Is(err, unix.EPERM) { // it is there, of a user whom an agent that is not root may send no signal
		err = nil
	}
	if err != nil && !errors.Is(err, unix.ENOPROTOOPT) { // that of an older kernel; of a process that is gone, others
		return caller{}, errGone
	}
	var st unix.Stat_t
	if err := unix.Stat(fmt.Sprintf("/proc/%d", who.pid), &st); err != nil || who.born == 0 {
		return caller{}, errGone
	}
	if st.Uid != peer.Uid {
		return caller{}, errGone
	}
	if !who.all {
		who.runs = openProgram(who.pid, who.uid)
	}
	return who, nil
}

// born returns when a process started, Unix time in nanoseconds; 0 if it is gone.
func born(pid int, now time.Time) int64 {
	started := procs.Started(pid)
	if started == 0 {
		return 0
	}
	return now.Add(-procs.Age(started)).UnixNano()
}

func sameNamespaces(pid int) bool {
	for _, ns := range []string{"user", "pid"} {
		own, err := os.Readlink("/proc/self/ns/" + ns)
		theirs, err2 := os.Readlink(fmt.Sprintf("/proc/%d/ns/%s", pid, ns))
		if err != nil || err2 != nil || own != theirs {
			return false
		}
	}
	return true
}

func inGroup(pid int, peer *unix.Ucred, group int) bool {
	if int(peer.Gid) == group {
		return true
	}
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	groups, _ := procs.StatusField(b, "Groups")
	return slices.Contains(groups, strconv.Itoa(group))
}
