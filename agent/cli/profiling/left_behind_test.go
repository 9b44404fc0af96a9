package profiling

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hotspan/hotspan/agent/internal/procs"
)

// TestKillEndsWhatIsLeft: a shell ends at SIGTERM and passes it to nobody. What it has started ends all the same, but
// not what has a process group of its own.
func TestKillEndsWhatIsLeft(t *testing.T) {
	for _, c := range []struct {
		script string
		ends   bool
	}{
		{`sleep 100 & echo $!; wait`, true},
		{`sh -c 'sleep 100 & echo $!; wait'; true`, true},
		{`setsid sleep 100 & sleep 0.2; echo $!; wait`, false},
	} {
		read, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer read.Close()
		command, err := StartCommand([]string{"sh", "-c", c.script}, nil, write, os.Stderr)
		if err != nil {
			t.Fatal(err)
		}
		write.Close()
		command.begin()
		line, err := bufio.NewReader(read).ReadString('\n')
		sleep, err2 := strconv.Atoi(strings.TrimSpace(line))
		if err != nil || err2 != nil {
			t.Fatalf("%s wrote %q", c.script, line)
		}
		defer syscall.Kill(sleep, syscall.SIGKILL)
		command.Kill()
		for until := time.Now().Add(5 * time.Second); c.ends && !procs.Ended(sleep) && time.Now().Before(until); {
			time.Sleep(10 * time.Millisecond)
		}
		if procs.Ended(sleep) != c.ends {
			t.Errorf("%s: sleep ended %v, want %v", c.script, procs.Ended(sleep), c.ends)
		}
	}
}
