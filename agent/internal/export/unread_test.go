package export

import (
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestUnread: a snapshot that the system does not let us read for a while, since too many files are open, is delivered
// when it does.
func TestUnread(t *testing.T) {
	to := &receiver{}
	s, d, _ := fixture(t, to, nil)
	fill(t, s, 2)
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	restore := func() {
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &before); err != nil {
			t.Error(err)
		}
	}
	defer restore()
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 3, Max: before.Max}); err != nil {
		t.Fatal(err)
	}
	refused := make(chan struct{})
	go func() {
		defer close(refused)
		for d.Stats().Failures == 0 && d.Stats().Waiting > 0 {
			time.Sleep(time.Millisecond)
		}
		restore()
	}()
	deliverAll(t, d)
	<-refused
	if stats := d.Stats(); stats.Failures == 0 || stats.Damaged > 0 || stats.Snapshots != 2 {
		t.Errorf("%+v", stats)
	}
	if !slices.Equal(to.times, times(2)) {
		t.Errorf("samples of %v were delivered", to.times)
	}
}
