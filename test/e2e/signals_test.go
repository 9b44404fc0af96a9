package e2e

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestSecondSignal: a recording that cannot be written, since nobody reads the pipe, ends at the second signal, and
// says what is lost. Two that come together are one.
func TestSecondSignal(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	reader, err := os.OpenFile(pipe, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	// A pipe has room for 64 KiB, a few hundred samples. This one has room for a dozen.
	if _, err := unix.FcntlInt(reader.Fd(), unix.F_SETPIPE_SZ, 4096); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	h := exec.Command(hotspan, "record", "-F", "4999", "--format", "jsonl", "-o", pipe, "--", node24(t), "-e",
		"for (const end = Date.now() + 1500; Date.now() < end;);")
	h.Stderr = &said
	if err := h.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- h.Wait() }()
	for inPipe := 0; inPipe == 0; {
		if inPipe, err = unix.IoctlGetInt(int(reader.Fd()), unix.TIOCINQ); err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-ended:
			t.Fatalf("it has written all: %v\n%s", err, &said)
		case <-time.After(10 * time.Millisecond):
		}
	}
	h.Process.Signal(interrupt)
	h.Process.Signal(syscall.SIGTERM)
	select {
	case err := <-ended:
		t.Fatalf("it has ended: %v\n%s", err, &said)
	case <-time.After(2 * time.Second):
	}
	h.Process.Signal(interrupt)
	var failed *exec.ExitError
	if err := <-ended; !errors.As(err, &failed) || failed.ExitCode() != 1 {
		t.Errorf("it ends with %v, want exit code 1", err)
	}
	want := `(?m)^hotspan: ended by a second signal: of the recording of \d+s all is lost that is not in ` +
		regexp.QuoteMeta(pipe) + "$"
	if !regexp.MustCompile(want).Match(said.Bytes()) {
		t.Errorf("it says %s, want %s", &said, want)
	}
}
