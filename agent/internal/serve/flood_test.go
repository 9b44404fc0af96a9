package serve_test

import (
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/hotspan/hotspan/agent/internal/budget"
)

// floods names the socket to which this program, run again as another user, connects again and again.
const floods = "HOTSPAN_TEST_FLOOD"

const floodTime = 3 * time.Second

// flood prints how many of its connections got an answer.
func flood(socket string) {
	const callers = 8
	counts := make(chan int)
	end := time.Now().Add(floodTime)
	for range callers {
		go func() {
			answered := 0
			for time.Now().Before(end) {
				answered += connect(socket)
			}
			counts <- answered
		}()
	}
	sum := 0
	for range callers {
		sum += <-counts
	}
	fmt.Println(sum)
}

// connect returns 1 if a request gets an answer, whatever that is.
func connect(socket string) int {
	c, err := net.Dial("unix", socket)
	if err != nil {
		return 0
	}
	defer c.Close()
	_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: agent\r\n\r\n") // the answer tells
	n, _ := c.Read(make([]byte, 1))
	return n
}

// TestFlood: a user who connects all the time is admitted as often as it may have connections, each second: it takes
// CPU time of the agent's budget each time. Root is served meanwhile.
func TestFlood(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("another user's process is started, which takes root")
	}
	s := start(t, 0)
	other := s.command(t, floods)
	_, out := startNobody(t, other)
	begin := time.Now()
	for time.Since(begin) < floodTime/2 {
		if _, err := s.dial(t).Status(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	var answered int
	if _, err := fmt.Fscan(out, &answered); err != nil {
		t.Fatal(err)
	}
	const most = 32 // connections that a user has
	if seconds := int(time.Since(begin)/time.Second) + 1; answered == 0 || answered > most*seconds {
		t.Errorf("%d connections were admitted in %d s, want 1 to %d", answered, seconds, most*seconds)
	}
}

// TestContainerFlood: root of a container who connects all the time takes little of the agent's CPU time.
func TestContainerFlood(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("a PID namespace takes root")
	}
	s := start(t, 0)
	container := s.command(t, floods)
	container.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID}
	before := budget.OwnCPU()
	if out, err := container.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if took, most := budget.OwnCPU()-before, floodTime/10; took > most {
		t.Errorf("%v of CPU in %v, want less than %v", took, floodTime, most)
	}
}
