package sourcemaps

import (
	"errors"
	"path"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/procs"
)

// A build writes a script and its map one after the other, and a service may start again in between. What is read then
// may be of two builds, and gives wrong names. So both are read when neither has changed for a while, or not at all.
const maxTries = 5

var errBuilds = errors.New("it, or its script, is written again and again")

// changing returns for how long to wait until a change is unchangedFor ago.
func (m *Maps) changing(last unix.Timespec) time.Duration {
	left := m.unchanged - time.Since(time.Unix(last.Unix()))
	if left > 2*m.unchanged { // it is later than now: the time is of another machine's clock
		return 0
	}
	return left
}

// lastChange returns when the last of some files was changed, or came to its name. Nothing is known of those that
// cannot be opened.
func lastChange(root *procs.RootDir, files ...string) (last unix.Timespec) {
	for _, file := range files {
		if !path.IsAbs(file) {
			continue
		}
		f, st, err := root.Open(file)
		if err != nil {
			continue
		}
		procs.Close(f)
		if st.Ctim.Nano() > last.Nano() {
			last = st.Ctim
		}
	}
	return last
}
