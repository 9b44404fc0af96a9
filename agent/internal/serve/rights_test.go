package serve_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/agent/client"
	"github.com/hotspan/hotspan/agent/internal/serve"
	"github.com/hotspan/hotspan/otlp"
	"github.com/hotspan/hotspan/pprofx"
)

// asOther names the socket that this program, run again as another user, asks for what it gets.
const asOther = "HOTSPAN_TEST_SOCKET"

func TestMain(m *testing.M) {
	if socket := os.Getenv(asOther); socket != "" {
		answer(socket)
		return
	}
	if socket := os.Getenv(floods); socket != "" {
		flood(socket)
		return
	}
	if socket := os.Getenv(connects); socket != "" {
		connectAndChange(socket)
		return
	}
	if os.Getenv(identifies) != "" {
		fmt.Println(serve.IdentifyFD(3, -1))
		return
	}
	os.Exit(m.Run())
}

// answers is what a caller got.
type answers struct {
	Times     []int64 // of samples, in seconds after base
	PIDs      map[int]int
	Addresses int // frames with an address of the kernel
	Lost      int // snapshots
	Refused   []string
	HTTP      int
	Dropped   int // connections that were closed at once, of connections
}

// connections is how many a caller opens that wants to keep others out.
const connections = 300

// answer asks for all that there is, and prints what it got.
func answer(socket string) {
	base, _ := bufio.NewReader(os.Stdin).ReadString('\n') // the samples of this process are in the store now
	var start int64
	fmt.Sscan(base, &start)
	out := answers{PIDs: map[int]int{}}
	c, err := client.Dial(socket)
	if err != nil {
		panic(err)
	}
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	for e, err := range c.Stream(ctx, client.Snapshots{}) {
		if err != nil {
			panic(err)
		}
		if e.Lost != nil {
			out.Lost += int(e.Lost.Count)
			continue
		}
		for _, r := range e.Snapshot.Rows {
			out.Times = append(out.Times, (r.Time-start)/second)
			out.PIDs[int(r.PID)]++
		}
		for _, f := range e.Snapshot.Frames {
			if f.Kind == pprofx.Kernel && f.Address != 0 {
				out.Addresses++
			}
		}
	}
	out.ask(ctx, c)
	h := http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		return net.Dial("unix", socket)
	}}}
	r, err := h.Get("http://agent/debug/pprof/heap")
	if err != nil {
		panic(err)
	}
	out.HTTP = r.StatusCode
	out.crowd(socket)
	json.NewEncoder(os.Stdout).Encode(out)
	io.Copy(io.Discard, os.Stdin) // the connections stay open until the test is done
}

// ask asks for what it has no right to.
func (a *answers) ask(ctx context.Context, c *client.Client) {
	refused := func(err error) { a.Refused = append(a.Refused, fmt.Sprint(err)) }
	_, err := c.Status(ctx)
	refused(err)
	init := client.Filter{Processes: []client.Process{{PID: 1}}}
	for _, err := range c.Stream(ctx, client.Snapshots{Filter: init}) {
		refused(err)
	}
	for _, err := range c.Samples(ctx, init, 1) {
		refused(err)
	}
	for _, ask := range []client.Capture{{Process: client.Process{PID: 1}}, {Rate: 5000}} {
		profile, _, err := c.Capture(ctx, ask)
		if err != nil {
			panic(err)
		}
		for _, err := range profile {
			refused(err)
		}
	}
}

// crowd opens connections and leaves them open.
func (a *answers) crowd(socket string) {
	var all []net.Conn
	for range connections {
		c, err := net.Dial("unix", socket)
		if err != nil {
			panic(err)
		}
		all = append(all, c)
	}
	for _, c := range all {
		c.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
		if _, err := c.Read(make([]byte, 1)); errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) {
			a.Dropped++
		}
	}
}

// A process of another user gets what is its own since it started, and nothing else; and it cannot keep root out.
func TestRights(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("another user's process is started, which takes root")
	}
	s := start(t, 0)
	other := s.command(t, asOther)
	in, out := startNobody(t, other)
	// Of an earlier process with its pid, before the clock was set back; of another; and of itself.
	for _, n := range []int64{9999, -99, 101} {
		s.append(t, snapshot(t, n, other.Process.Pid, 102))
	}
	fmt.Fprintln(in, base)
	var got answers
	if err := json.NewDecoder(out).Decode(&got); err != nil {
		t.Fatal(err)
	}
	want := answers{
		Times: []int64{100, 100, 100, 100, 100, 100, 100, 100, 100, 100}, PIDs: map[int]int{other.Process.Pid: 10},
		Refused: []string{
			"not allowed: the agent's status is for root",
			"not allowed: process 1 is not yours: root may have it",
			"not allowed: process 1 is not yours: root may have it",
			"not allowed: process 1 is not yours: root may have it",
			"not allowed: rate 5000: more than 1000 are for root",
		},
		HTTP: http.StatusForbidden, Dropped: got.Dropped, Lost: 1,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got.Dropped < connections-32 {
		t.Errorf("%d connections of %d were closed, want all but 32", got.Dropped, connections)
	}
	if all := stream(t, s.dial(t), client.Snapshots{}); len(all) != 3 || all[0].Snapshot.Frames[0].Address == 0 {
		t.Errorf("root got %d snapshots beside the other's connections", len(all))
	}
}

// startNobody starts a program as another user, from a directory where that may be. It ends with its standard input, at
// the end of the test at the latest.
func startNobody(t *testing.T, cmd *exec.Cmd, capabilities ...uintptr) (in io.Writer, out io.Reader) {
	t.Helper()
	cmd.Dir, cmd.Stderr = "/", os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Credential: &syscall.Credential{Uid: 65534, Gid: 65534}, AmbientCaps: capabilities,
	}
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		input.Close()
		cmd.Wait()
	})
	return input, output
}

// command runs this test program as any user may, who is told by a variable what to do at the socket.
func (s *served) command(t *testing.T, task string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	program := filepath.Join(filepath.Dir(s.socket), "other") // where any user may read it
	if err == nil {
		err = copyFile(self, program)
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), task+"="+s.socket)
	return cmd
}

func copyFile(from, to string) error {
	b, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, b, 0o755)
	}
	return err
}

func (s *served) append(t *testing.T, one *pprofx.Snapshot) {
	t.Helper()
	frame, err := otlp.Compress(one, otlp.Agent{})
	if err == nil {
		_, err = s.store.Append(frame, one.Start, one.End)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Whatever bytes come, and however many callers at once: each gets an error or an answer, and the next one is served.
func TestAnyBytes(t *testing.T) {
	s := start(t, 1, 101)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 500 {
		c, err := net.Dial("unix", s.socket)
		if err != nil {
			t.Fatal(err)
		}
		b := make([]byte, random.IntN(2000))
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		if i%2 == 0 {
			b = append([]byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), b...)
		}
		c.Write(b)
		c.Close()
	}
	if n := len(stream(t, s.dial(t), client.Snapshots{})); n != 1 {
		t.Errorf("%d snapshots afterwards", n)
	}
}

// What is too large, or too much at a time, is refused by name, and what follows is served.
func TestTooMuch(t *testing.T) {
	s := start(t, 1, 101)
	c := s.dial(t)
	for want, f := range map[string]client.Filter{
		"agent: grpc: received message larger than max": {Services: []string{string(make([]byte, 1<<20))}},
		"agent: 300 conditions: at most 256":            {Services: make([]string, 300)},
	} {
		for _, err := range c.Stream(t.Context(), client.Snapshots{Filter: f}) {
			if err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%v, want %s", err, want)
			}
		}
	}
	const connections, each, most = 8, 10, 64
	ctx, stop := context.WithCancel(t.Context())
	answers := make(chan error)
	for range connections {
		c := s.dial(t)
		for range each {
			go func() {
				for _, err := range c.Stream(ctx, client.Snapshots{Follow: true}) {
					answers <- err
				}
			}()
		}
	}
	refused := 0
	for range connections * each {
		if err := <-answers; err != nil {
			refused++
		}
	}
	if refused != connections*each-most {
		t.Errorf("%d of %d calls at a time were refused, want all but %d", refused, connections*each, most)
	}
	go func() {
		for range answers { // the ends of the calls
		}
	}()
	stop()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if _, err := c.Status(t.Context()); err == nil {
			break
		} else if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}
