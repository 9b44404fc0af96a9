package serve

import (
	"errors"
	"net"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	fair "github.com/hotspan/hotspan/agent/internal/share"
)

// leastStay is how long a connection of a user counts, at least: to find out who has connected takes CPU time, which is
// in the agent's budget, so who connects all the time would have it lower its rate.
const leastStay = time.Second

// After so many connections that are refused there is a rest, for the same reason: 250 a second are, at most. Others
// wait meanwhile, for four seconds at most, as the queue is shorter than the 4096 that Go has asked for.
const (
	refusals = 16
	rest     = refusals * 4 * time.Millisecond
	queue    = 1024
)

// shortenQueue bounds the connections that wait to be accepted.
func shortenQueue(l *net.UnixListener) error {
	return withFD(l, func(fd int) error { // once more: listen(2)
		return os.NewSyscallError("listen", unix.Listen(fd, queue))
	})
}

// places are the connections that users may have.
type places struct {
	users   *fair.Shares[uint32]
	refused int // connections; only enter has it
}

// enter takes a place for a connection, which leave gives back; false: it was refused. For root leave is nil, but for
// root of a container: who that is, is found out for good once there is a place. It is called by one goroutine.
func (p *places) enter(c *net.UnixConn) (leave func(), ok bool) {
	peer, err := peerOf(c)
	if err == nil && !(isOwn(peer.Uid) && sameNamespaces(int(peer.Pid))) {
		leave, err = p.take(peer.Uid)
	}
	if err == nil {
		return leave, true
	}
	c.Close()
	if p.refused++; p.refused%refusals == 0 {
		time.Sleep(rest)
	}
	return nil, false
}

var errTooMany = errors.New("its user has too many connections")

// take takes a place for a connection of a user, which leave gives back.
func (p *places) take(uid uint32) (leave func(), err error) {
	if !p.users.Take(uid, 1) {
		return nil, errTooMany
	}
	from := time.Now()
	return sync.OnceFunc(func() {
		time.AfterFunc(leastStay-time.Since(from), func() { p.users.Give(uid, 1) })
	}), nil
}

// peerOf returns who has connected, as it was then.
func peerOf(c *net.UnixConn) (peer *unix.Ucred, err error) {
	err = withFD(c, func(fd int) (err error) {
		peer, err = unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
		return err
	})
	return peer, err
}
