package terminal

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// TestProgress: a line of progress goes no further than one of the terminal, which has nothing of it if it is dumb.
func TestProgress(t *testing.T) {
	for kind, want := range map[string]string{
		"xterm": "\r\x1b[K   1s  12 samples, 100.0 % named, 100.…\r\x1b[K",
		"dumb":  "",
	} {
		t.Setenv("TERM", kind)
		t.Setenv("COLUMNS", "")
		master, slave := openTerminal(t, 40)
		c := Console{Writer: slave}
		c.Progress("   1s  12 samples, 100.0 % named, 100.0 % labelled, 0 lost")
		c.Clear()
		if got := readAll(t, master, len(want)); got != want {
			t.Errorf("%s: %q, want %q", kind, got, want)
		}
	}
}

// readAll reads what was written to a terminal: n bytes, which may come one after the other, and what is behind them.
func readAll(t *testing.T, master *os.File, n int) string {
	t.Helper()
	var all []byte
	b := make([]byte, 1000)
	for {
		wait := 10 * time.Second
		if len(all) >= n {
			wait = 20 * time.Millisecond
		}
		if err := master.SetReadDeadline(time.Now().Add(wait)); err != nil {
			t.Fatal(err)
		}
		got, err := master.Read(b)
		if all = append(all, b[:got]...); err != nil {
			return string(all)
		}
	}
}

// openTerminal makes a terminal of so many columns.
func openTerminal(t *testing.T, columns uint16) (master, slave *os.File) {
	t.Helper()
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	master = os.NewFile(uintptr(fd), "/dev/ptmx")
	n, err1 := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	err2 := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	err3 := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Col: columns, Row: 24})
	slave, err = os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err := errors.Join(err1, err2, err3, err); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { slave.Close(); master.Close() })
	return master, slave
}

func TestLogger(t *testing.T) {
	var b bytes.Buffer
	for _, verbose := range []bool{false, true} {
		log := Console{Writer: &b}.Logger(verbose)
		log.Info("attached", "pid", 7)
		log.Warn("mappings not updated", "pid", 7, "why", errors.New("gone"))
		log.Error("snapshot not delivered")
		log.Debug("not learnt")
	}
	const each = "hotspan: attached, pid 7\nhotspan: warn: mappings not updated, pid 7: gone\n" +
		"hotspan: error: snapshot not delivered\n"
	if diff := cmp.Diff(each+each+"hotspan: not learnt\n", b.String()); diff != "" {
		t.Error(diff)
	}
}
