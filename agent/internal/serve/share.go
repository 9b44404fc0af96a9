package serve

import (
	"crypto/rand"
	"errors"
	"net/http"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// shares are the files that processes may have, each while a session of the process runs.
type shares struct {
	mu   sync.Mutex
	byID map[string]*share
}

// share is a file for one process.
type share struct {
	with caller
	file *os.File
	sent chan struct{} // it was
}

// add has a process get a file by the id that is returned, until remove.
func (s *shares) add(with caller, file *os.File) (id string, added *share) {
	id, added = rand.Text(), &share{with: with, file: file, sent: make(chan struct{}, 1)}
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
	fd, err = unix.FcntlInt(of.file.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	return of, fd, err
}

// serve answers GET /session/ID on a connection of its own with the file, which comes with the first byte (unix(7),
// SCM_RIGHTS). That it was sent is said in the session: its process need not wait in a system call.
func (s *shares) serve(w http.ResponseWriter, r *http.Request) {
	who, _ := r.Context().Value(callerKey{}).(caller)
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
