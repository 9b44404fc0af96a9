package serve

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	fair "github.com/hotspan/hotspan/agent/internal/share"
	"github.com/hotspan/hotspan/pprofx"
)

// connections is a listener of connections that a test makes.
type connections struct {
	made chan net.Conn
	done chan struct{}
}

func (c *connections) Accept() (net.Conn, error) {
	select {
	case made := <-c.made:
		return made, nil
	case <-c.done:
		return nil, net.ErrClosed
	}
}

func (c *connections) Close() error   { close(c.done); return nil }
func (c *connections) Addr() net.Addr { return &net.UnixAddr{Net: "unix"} }

// pair returns both ends of a connection.
func pair(t testing.TB) (a, b *net.UnixConn) {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	var ends [2]*net.UnixConn
	for i, fd := range fds {
		f := os.NewFile(uintptr(fd), "")
		c, err := net.FileConn(f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		ends[i] = c.(*net.UnixConn)
	}
	return ends[0], ends[1]
}

// FuzzSession: whatever an ordinary process says on the socket of sessions, it is answered in HTTP or not at all, and
// the capture ends with the connection.
func FuzzSession(f *testing.F) {
	const head = "POST /session?version=1&frequency=99 HTTP/1.1\r\nHost: agent\r\n"
	for _, text := range []string{
		head + "Transfer-Encoding: chunked\r\n\r\n9\r\nsnapshot\n\r\n5\r\nstop\n\r\n0\r\n\r\n",
		head + "Content-Length: 5\r\n\r\nstop\n" + head + "Content-Length: 5\r\n\r\nstop\n",
		head + "Expect: 100-continue\r\n\r\n", head + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
		"POST /session?version=1&frequency=99&label=a%3Db&label=%00 HTTP/1.0\r\n\r\n",
		"POST /session?version=1&frequency=-1 HTTP/1.1\r\nHost: a\r\n\r\n",
		"GET /debug/pprof/heap HTTP/1.1\r\nHost: a\r\n\r\n",
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "",
	} {
		f.Add([]byte(text))
	}
	running := make(chan struct{}, maxCaptures)
	s := &Server{ended: make(chan struct{}), captures: newQuota(maxCaptures, maxCapturesUser, 0),
		working: make(chan struct{}, maxWorking), memory: fair.New[uint32](sessionsBytes, sessionsUser),
		shares: shares{users: fair.New[uint32](maxShares, sharesUser)}, config: Config{
			Capture: func(ctx context.Context, of Capture) error {
				running <- struct{}{}
				defer func() { <-running }()
				of.Begun()
				b, err := pprofx.NewBuilder(1, 1)
				if err == nil {
					err = of.To(ctx, b.Cut(time.Now().UnixNano()))
				}
				<-ctx.Done()
				return err
			},
		}}
	l := &connections{made: make(chan net.Conn), done: make(chan struct{})}
	s.serveHTTP(l)
	f.Cleanup(func() { s.http.Close() })
	f.Fuzz(func(t *testing.T, said []byte) {
		here, there := pair(t)
		defer here.Close()
		here.SetDeadline(time.Now().Add(10 * time.Second))
		l.made <- &conn{UnixConn: there, from: bufio.NewReader(there), end: func() {},
			caller: caller{uid: 1, pid: os.Getpid(), born: 1}}
		go func() {
			here.Write(said) // the server may close first
			here.CloseWrite()
		}()
		answer, err := io.ReadAll(here)
		if os.IsTimeout(err) {
			t.Fatalf("no end after %q", answer)
		}
		if len(answer) > 0 && !bytes.HasPrefix(answer, []byte("HTTP/1.")) {
			t.Errorf("answer %q", answer)
		}
		if n := len(running); n > 0 {
			t.Errorf("%d captures still run", n)
		}
	})
}
