package serve_test

import (
	"testing"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/client"
)

// TestUnreadSnapshot: a snapshot that the system does not let the agent read is not said to be damaged, nor left out.
func TestUnreadSnapshot(t *testing.T) {
	s := start(t, 2, 101)
	c := s.dial(t)
	if _, err := c.Status(t.Context()); err != nil { // it is connected
		t.Fatal(err)
	}
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 3, Max: before.Max}); err != nil {
		t.Fatal(err)
	}
	const want = "agent: snapshot 1: too many open files"
	for e, err := range c.Stream(t.Context(), client.Snapshots{}) {
		if err == nil || err.Error() != want {
			t.Errorf("%+v, %v, want %s", e.Lost, err, want)
		}
	}
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	if n := len(stream(t, c, client.Snapshots{})); n != 2 {
		t.Errorf("%d snapshots afterwards", n)
	}
}
