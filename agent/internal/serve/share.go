package serve

import (
	"crypto/rand"
	"errors"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"
	"google.golang.org/grpc/status"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	fair "github.com/hotspan/hotspan/agent/internal/share"
)

// maxShares bounds the BPF maps that processes have, of sessions that run and of those that have ended: it is the
// process that lets go of its map, if it does. A user has sharesUser, at most, of what others leave. Those of callers
// that may have everything do not count.
const maxShares, sharesUser = 64, 1.0 / 4

// shares are the files that processes may have, each while a session of the process runs.
type shares struct {
	users *fair.Shares[uint32]

	mu   sync.Mutex
	byID map[string]*share
	left []*share // of sessions that have ended, which their processes have got
}

// share is a file for one process.
type share struct {
	with  caller
	file  *os.File
	sent  chan struct{} // it was
	id    bpf.MapID
	taken bool
}

// reserve takes a place for a session's map, until release; false: there is none.
func (s *shares) reserve(who caller) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forgetGone()
	return who.all || s.users.Take(who.uid, 1)
}

// release gives back the place of a session that has ended: at once, or if its process got the map, when that is gone.
// of is nil if there is none.
func (s *shares) release(who caller, of *share) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if of != nil && of.taken {
		of.with = who // in the session it is one that may not have everything
		s.left = append(s.left, of)
		return
	}
	s.give(who)
}

// forgetGone gives back the places of maps that no process has any more. The caller holds s.mu.
func (s *shares) forgetGone() {
	s.left = slices.DeleteFunc(s.left, func(l *share) bool {
		gone := !bpf.MapExists(l.id)
		if gone {
			s.give(l.with)
		}
		return gone
	})
}

func (s *shares) give(who caller) {
	if !who.all {
		s.users.Give(who.uid, 1)
	}
}

// count returns how many maps there are of sessions that run, and how many processes have of sessions that have ended.
func (s *shares) count() (running, ended int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forgetGone()
	return len(s.byID), len(s.left)
}

// add has a process get a file by the id that is returned, until remove.
func (s *shares) add(with caller, file *os.File) (id string, added *share) {
	id, added = rand.Text(), &share{with: with, file: file, sent: make(chan struct{}, 1)}
	added.id, _ = bpf.MapIDOf(file) // of a file that is no map there is none
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byID == nil {
		s.byID = map[string]*share{}
	}
	s.byID[id] = added
	return id, added
}

func (s *shares) remove(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.byID, id)
}

var errNoSession = errors.New("this process has no such session")

// take returns what a process may have by an id, and a descriptor of the file, which the caller closes: the session
// may end meanwhile.
func (s *shares) take(id string, who caller) (of *share, fd int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	of = s.byID[id]
	if of == nil || of.with.pid != who.pid || of.with.uid != who.uid {
		return nil, -1, errNoSession
	}
	of.taken = true
	fd, err = unix.FcntlInt(of.file.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	return of, fd, err
}

// serve answers GET /session/ID on a connection of its own with the file, which comes with the first byte (unix(7),
// SCM_RIGHTS). That it was sent is said in the session: its process need not wait in a system call.
func (s *shares) serve(w http.ResponseWriter, r *http.Request) {
	who, _ := r.Context().Value(callerKey{}).(caller)
	if err := who.runs.check(); err != nil {
		http.Error(w, status.Convert(err).Message(), http.StatusForbidden)
		return
	}
	of, fd, err := s.take(r.PathValue("id"), who)
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	defer unix.Close(fd)
	hijacked, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	defer hijacked.Close()
	to, ok := hijacked.(*conn)
	if !ok {
		return
	}
	_ = to.SetWriteDeadline(time.Now().Add(speakTime)) // if it fails, so does the next call
	if _, _, err := to.WriteMsgUnix([]byte{0}, unix.UnixRights(fd), nil); err != nil {
		return // it has gone, or does not read
	}
	select {
	case of.sent <- struct{}{}:
	default: // asked again
	}
}
