package serve_test

import (
	"io"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// identifies has this program, run again as another user, print who is at the other end of its descriptor 3.
const identifies = "HOTSPAN_TEST_IDENTIFIES"

// An agent that is not root, as that of the systemd unit in the documents, knows root: it may not send it a signal.
func TestRootCallsOther(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("another user's process is started, which takes root")
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(pair[0])
	theirs := os.NewFile(uintptr(pair[1]), "socket")
	defer theirs.Close()
	cmd := start(t, 0).command(t, identifies)
	cmd.ExtraFiles = []*os.File{theirs}
	_, out := startNobody(t, cmd, unix.CAP_SYS_PTRACE)
	if said, err := io.ReadAll(out); err != nil || !strings.HasPrefix(string(said), "{true 0 ") {
		t.Errorf("%s, %v", said, err)
	}
}
