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

// apartFactor is how many times longer it takes to trust two files that were not changed at about the same time: one of
// them may be of the build before. A build that finds the same content may write only one, so they are not refused.
const apartFactor = 4

// longestBuild is after how long what a build has not written is not expected any more.
const longestBuild = 10 * time.Minute

var errBuilds = errors.New("it, or its script, is written again and again")

// pair is a script's file and that of its map. The zero version is that of a file that cannot be opened.
type pair struct{ script, file version }

// version tells a file from what has its name later. The inode's number does not: some file systems make up another one
// each time.
type version struct {
	size    int64
	changed unix.Timespec // or came to its name
}

func versionOf(root *procs.RootDir, file string) version {
	if !path.IsAbs(file) {
		return version{}
	}
	f, st, err := root.Open(file)
	if err != nil {
		return version{}
	}
	procs.Close(f)
	return version{st.Size, st.Ctim}
}

// last returns when the last of both was changed, since 1970.
func (p pair) last() time.Duration {
	return time.Duration(max(p.script.changed.Nano(), p.file.changed.Nano()))
}

// age returns how long ago the last of both was changed.
func (p pair) age() time.Duration { return time.Since(time.Unix(0, int64(p.last()))) }

// apart returns how long one was changed after the other: decades if one is not there.
func (p pair) apart() time.Duration {
	return 2*p.last() - time.Duration(p.script.changed.Nano()+p.file.changed.Nano())
}

// changing returns for how long to wait until both may be read.
func (m *Maps) changing(p pair) time.Duration {
	unchanged := m.unchanged
	if p.apart() > m.unchanged {
		unchanged *= apartFactor
	}
	left := unchanged - p.age()
	if left > 2*unchanged { // it is later than now: the time is of another machine's clock
		return 0
	}
	return left
}

// oneBuild reports whether both are taken to be of one build, whatever comes later.
func (m *Maps) oneBuild(p pair) bool {
	return p.apart() <= m.unchanged || p.age() > longestBuild
}
