package serve

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
	"google.golang.org/grpc/credentials"

	fair "github.com/hotspan/hotspan/agent/internal/share"
	"github.com/hotspan/hotspan/agent/internal/trusted"
)

// speakTime is how long a caller may take to say which protocol it speaks.
const speakTime = 5 * time.Second

// listener accepts connections on a Unix socket, and gives those that speak HTTP/2, which is gRPC's, to one server and
// the others to a second one.
type listener struct {
	*net.UnixListener
	group      int
	log        *slog.Logger
	grpc, http half

	places places
	done   chan struct{}
}

// listen makes the socket, which everybody may connect to. Its directory is made where it is missing.
func listen(path string, group int, log *slog.Logger) (*listener, error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	root, err := trusted.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("socket: %w", err)
	}
	defer root.Close()
	if err := removeStale(path); err != nil {
		return nil, err
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, err
	}
	if err := errors.Join(shortenQueue(l), root.Chmod(filepath.Base(path), 0o666)); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	out := &listener{
		UnixListener: l, group: group, log: log, done: make(chan struct{}),
		places: places{users: fair.New[uint32](fair.Connections, fair.PerCaller)},
	}
	out.grpc, out.http = half{out, make(chan net.Conn)}, half{out, make(chan net.Conn)}
	go out.run()
	return out, nil
}

// removeStale removes the socket of an agent that was killed, and no other file: the kernel refuses to connect to any.
func removeStale(path string) error {
	if at, err := os.Lstat(path); err == nil && at.Mode().Type() != fs.ModeSocket {
		return fmt.Errorf("%s: there is a file that is no socket", path)
	}
	c, err := net.Dial("unix", path)
	switch {
	case err == nil:
		c.Close()
		return fmt.Errorf("%s: another agent has this socket", path)
	case errors.Is(err, unix.ECONNREFUSED):
		return os.Remove(path)
	}
	return nil
}

func (l *listener) run() {
	defer close(l.done)
	for {
		c, err := l.AcceptUnix()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil: // such as too many open files
			l.log.Warn("a connection is not accepted", "why", err)
			time.Sleep(100 * time.Millisecond)
		default:
			if leave, ok := l.places.enter(c); ok {
				go l.admit(c, leave)
			}
		}
	}
}

// admit finds out who has connected, and which protocol it speaks. leave gives back the place of a user; nil: it has
// none yet.
func (l *listener) admit(u *net.UnixConn, leave func()) {
	who, err := identify(u, l.group)
	if err == nil && !who.all && leave == nil {
		leave, err = l.places.take(who.uid)
	}
	if leave == nil {
		leave = func() {}
	}
	if err != nil {
		l.log.Debug("connection refused", "pid", who.pid, "why", err)
		who.runs.close()
		u.Close()
		leave()
		return
	}
	if who.all {
		leave()
	}
	c := &conn{UnixConn: u, from: bufio.NewReader(u), caller: who, end: leave}
	_ = u.SetReadDeadline(time.Now().Add(speakTime)) // if it fails, so does Peek
	start, err := c.from.Peek(3)
	_ = u.SetReadDeadline(time.Time{})
	to := l.http
	if bytes.Equal(start, []byte("PRI")) { // RFC 9113, 3.4
		to = l.grpc
	}
	if err == nil {
		select {
		case to.conns <- c:
			return
		case <-l.done:
		}
	}
	c.Close()
}

// conn is a connection whose caller is known.
type conn struct {
	*net.UnixConn
	from   *bufio.Reader
	caller caller
	end    func()
}

func (c *conn) Read(b []byte) (int, error) { return c.from.Read(b) }

func (c *conn) Close() error {
	c.end()
	c.caller.runs.close()
	return c.UnixConn.Close()
}

// half is the listener of one protocol.
type half struct {
	of    *listener
	conns chan net.Conn
}

func (h half) Accept() (net.Conn, error) {
	select {
	case c := <-h.conns:
		return c, nil
	case <-h.of.done:
		return nil, net.ErrClosed
	}
}

func (h half) Close() error { return h.of.UnixListener.Close() }

func (h half) Addr() net.Addr { return h.of.UnixListener.Addr() }

// local has gRPC accept the connections of a listener, which knows the callers.
type local struct {
	credentials.TransportCredentials
}

// ServerHandshake says who the caller is.
func (local) ServerHandshake(c net.Conn) (net.Conn, credentials.AuthInfo, error) {
	known, ok := c.(*conn)
	if !ok {
		return nil, nil, errors.New("a connection of another listener")
	}
	return c, known.caller, nil
}
