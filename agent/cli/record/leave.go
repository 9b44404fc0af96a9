package record

import (
	"fmt"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/hotspan/hotspan/agent/cli/exit"
	"github.com/hotspan/hotspan/agent/cli/profiling"
	"github.com/hotspan/hotspan/agent/cli/recording"
	"github.com/hotspan/hotspan/agent/cli/terminal"
)

// leaver ends hotspan before a recording is written.
type leaver struct {
	terminal.Console
	files *fileSink
	child atomic.Pointer[profiling.Command] // that was started; nil: none
}

// leave says what is lost, and ends the process.
func (l *leaver) leave() {
	l.Clear()
	fmt.Fprintf(l, "hotspan: ended by a second signal: %s\n", l.lost())
	if child := l.child.Load(); child != nil {
		_ = child.Process.Signal(syscall.SIGTERM) // it may have ended
	}
	os.Exit(exit.Failed)
}

// lost says what becomes of what is not written yet. The sink may hold its lock for as long as a disk or a pipe takes:
// so it is not asked.
func (l *leaver) lost() string {
	if !l.files.whole {
		return "the snapshot that was not written yet is lost"
	}
	took := time.Since(l.files.start).Round(time.Second)
	begun := fmt.Sprintf("%s.%d.part", l.files.path(1), os.Getpid())
	if !recording.Streams(l.files.format) {
		_ = os.Remove(begun) // half of it nothing can read; there may be none
		return fmt.Sprintf("the recording of %v is lost", took)
	}
	if _, err := os.Stat(begun); err != nil {
		begun = l.files.path(1)
	}
	return fmt.Sprintf("of the recording of %v all is lost that is not in %s", took, begun)
}
