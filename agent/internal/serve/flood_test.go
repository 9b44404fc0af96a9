package serve_test

import (
	"fmt"
	"io"
	"net"
	"os"
	"testing"
	"time"
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
