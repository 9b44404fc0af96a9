package serve_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/hotspan/hotspan/agent/api"
	"github.com/hotspan/hotspan/agent/internal/serve"
	"github.com/hotspan/hotspan/otlp"
)

// connects names the socket to which this program, run again as another user, connects the sockets that it has got.
// What it does then it reads from its standard input.
const connects = "HOTSPAN_TEST_CONNECTS"

// Its sockets: of gRPC and of sessions.
const grpcFD, sessionFD = 3, 4

// connectAndChange connects and then changes what it may do, as a line says, until its standard input ends.
func connectAndChange(socket string) {
	if os.Getenv("HOTSPAN_TEST_HIDDEN") != "" {
		unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	}
	if socket != "up" {
		for _, fd := range []int{grpcFD, sessionFD} {
			if err := unix.Connect(fd, &unix.SockaddrUnix{Name: socket}); err != nil {
				panic(err)
			}
		}
	}
	fmt.Println("ready")
	line, _ := bufio.NewReader(os.Stdin).ReadString('\n')
	if path, ok := strings.CutPrefix(strings.TrimSpace(line), "exec "); ok {
		os.Setenv(connects, "up")
		panic(syscall.Exec(path, []string{path}, os.Environ()))
	}
	if line != "" {
		if err := syscall.Setresuid(-1, 0, -1); err != nil {
			panic(err)
		}
		fmt.Println("ready")
	}
	io.Copy(io.Discard, os.Stdin)
}

// other is a process of another user, with whose connections the test asks.
type other struct {
	pid  int
	say  io.Writer
	from *bufio.Reader
	grpc *grpc.ClientConn
	web  http.Client
}

// startOther starts this program as another user, with capabilities, from a directory where that may read it.
func startOther(t *testing.T, socket, program string, capabilities []uintptr, environment ...string) *other {
	t.Helper()
	var sockets []*os.File
	for range 2 {
		fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		sockets = append(sockets, os.NewFile(uintptr(fd), "socket"))
		defer sockets[len(sockets)-1].Close()
	}
	cmd := exec.Command(program)
	cmd.Env = append(append(os.Environ(), connects+"="+socket), environment...)
	cmd.ExtraFiles = sockets
	in, out := startNobody(t, cmd, capabilities...)
	o := &other{pid: cmd.Process.Pid, say: in, from: bufio.NewReader(out)}
	o.await(t)
	dial := func(of *os.File) func() (net.Conn, error) {
		c, err := net.FileConn(of)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return func() (net.Conn, error) { return c, nil }
	}
	grpcSocket, webSocket := dial(sockets[0]), dial(sockets[1])
	var err error
	o.grpc, err = grpc.NewClient("passthrough:///agent", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) { return grpcSocket() }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { o.grpc.Close() })
	o.web.Transport = &http.Transport{
		DialContext: func(context.Context, string, string) (net.Conn, error) { return webSocket() },
	}
	return o
}

// await waits until the process has done what it was told.
func (o *other) await(t *testing.T) {
	t.Helper()
	if line, err := o.from.ReadString('\n'); line != "ready\n" {
		t.Fatal(line, err)
	}
}

// programs copies this program to where others may run it: as it is, and as one that runs as root.
func programs(t *testing.T, dir string) (plain, privileged string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	plain, privileged = filepath.Join(dir, "plain"), filepath.Join(dir, "privileged")
	for _, to := range []string{plain, privileged} {
		if err := copyFile(self, to); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(privileged, os.ModeSetuid|0o755); err != nil {
		t.Fatal(err)
	}
	return plain, privileged
}

// received is what a call delivers next: samples, or why there are none.
func received(from interface {
	Recv() (*api.StreamResponse, error)
}) (samples int, err error) {
	r, err := from.Recv()
	if err != nil {
		return 0, err
	}
	s, err := otlp.Decode(r.GetSnapshot().GetProfiles())
	if err != nil {
		return 0, err
	}
	return len(s.Rows), nil
}

// TestOtherProgram: what a user connects stays with the user when the process takes other rights, or calls execve. What
// is of it then is not delivered, by no call, and what was sampled for the user ends.
func TestOtherProgram(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("another user's process is started, which takes root")
	}
	for name, test := range map[string]struct {
		then         func(plain, privileged string) string
		capabilities []uintptr
	}{
		"execve, as root": {func(_, privileged string) string { return "exec " + privileged }, nil},
		"execve":          {func(plain, _ string) string { return "exec " + plain }, nil},
		"seteuid":         {func(string, string) string { return "seteuid" }, []uintptr{unix.CAP_SETUID}},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, 0)
			pieces, sessionPieces := make(chan int64), make(chan int64)
			s.sampled = func(ctx context.Context, of serve.Capture) error {
				return sampleWhen(ctx, t, of, pieces, sessionPieces)
			}
			plain, privileged := programs(t, filepath.Dir(s.socket))
			o := startOther(t, s.socket, plain, test.capabilities)
			calls := o.calls(t, s, pieces)
			commands, say := io.Pipe()
			defer say.Close()
			answer, err := o.web.Post("http://agent/session?version=1&frequency=99", "", commands)
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			session := bufio.NewReader(answer.Body)
			if m := message(t, session); m.Type != "begun" {
				t.Fatalf("%+v", m)
			}
			for call, of := range calls {
				of.take()
				if n, err := received(of.answer); n != 10 || err != nil {
					t.Errorf("%s: %d samples, %v before", call, n, err)
				}
			}
			fmt.Fprintln(o.say, test.then(plain, privileged))
			o.await(t)
			for call, of := range calls {
				of.take()
				if n, err := received(of.answer); status.Code(err) != codes.PermissionDenied {
					t.Errorf("%s: %d samples, %v", call, n, err)
				}
			}
			sessionPieces <- 102
			io.WriteString(say, "stop\n")
			if m := message(t, session); m.Type != "error" {
				t.Errorf("the session has %+v", m)
			}
			again, err := api.NewProfilerClient(o.grpc).Stream(t.Context(), &api.StreamRequest{})
			if err != nil {
				t.Fatal(err)
			}
			if n, err := received(again); status.Code(err) != codes.PermissionDenied {
				t.Errorf("another call: %d samples, %v", n, err)
			}
		})
	}
}

// sampleWhen delivers a snapshot for each number that comes, and after an error waits until the capture is ended.
func sampleWhen(ctx context.Context, t *testing.T, of serve.Capture, pieces, sessionPieces <-chan int64) error {
	of.Begun()
	if of.Sampled != nil { // a session
		pieces = sessionPieces
	}
	for {
		select {
		case n := <-pieces:
			if err := of.To(ctx, snapshot(t, n, of.PID)); err != nil {
				<-ctx.Done()
				return err
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// call is a call that delivers samples; take has some taken.
type call struct {
	answer interface {
		Recv() (*api.StreamResponse, error)
	}
	take func()
}

// calls makes each call that delivers samples.
func (o *other) calls(t *testing.T, s *served, pieces chan<- int64) map[string]call {
	t.Helper()
	profiler := api.NewProfilerClient(o.grpc)
	stored, err := profiler.Stream(t.Context(), &api.StreamRequest{Follow: true})
	if err != nil {
		t.Fatal(err)
	}
	live, err := profiler.Samples(t.Context(), &api.SamplesRequest{})
	if err != nil {
		t.Fatal(err)
	}
	capture, err := profiler.Capture(t.Context())
	if err == nil {
		err = capture.Send(&api.CaptureRequest{})
	}
	if err != nil {
		t.Fatal(err)
	}
	for !s.feed.Wanted() { // or the test takes too long
		unix.Nanosleep(&unix.Timespec{Nsec: 1e6}, nil)
	}
	return map[string]call{
		"Stream":  {stored, func() { s.append(t, snapshot(t, 101, o.pid)) }},
		"Samples": {live, func() { s.feed.Publish(snapshot(t, 101, o.pid)) }},
		"Capture": {capture, func() { pieces <- 101 }},
	}
}

// TestHiddenProcess: a process that its user may not look into is not served, though the user connected it.
func TestHiddenProcess(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("another user's process is started, which takes root")
	}
	s := start(t, 1, 1)
	plain, _ := programs(t, filepath.Dir(s.socket))
	for hidden, want := range map[string]codes.Code{"": codes.OK, "yes": codes.PermissionDenied} {
		o := startOther(t, s.socket, plain, nil, "HOTSPAN_TEST_HIDDEN="+hidden)
		stored, err := api.NewProfilerClient(o.grpc).Stream(t.Context(), &api.StreamRequest{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := received(stored); status.Code(err) != want {
			t.Errorf("hidden %q: %v, want %v", hidden, err, want)
		}
	}
}
