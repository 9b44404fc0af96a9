package serve

import (
	"crypto/rand"
	"net/http"
	"os"
	"sync"

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

// serve answers GET /session/ID on a connection of its own with the file, which comes with the first byte (unix(7),
// SCM_RIGHTS). That it was sent is said in the session: its process need not wait in a system call.
func (s *shares) serve(w http.ResponseWriter, r *http.Request) {
	who, _ := r.Context().Value(callerKey{}).(caller)
	s.mu.Lock()
	defer s.mu.Unlock()
	of := s.byID[r.PathValue("id")]
	if of == nil || of.with.pid != who.pid || of.with.uid != who.uid {
		http.Error(w, "this process has no such session", http.StatusNotFound)
		return
	}
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
	if _, _, err := to.WriteMsgUnix([]byte{0}, unix.UnixRights(int(of.file.Fd())), nil); err != nil {
		return // it has gone
	}
	select {
	case of.sent <- struct{}{}:
	default: // asked again
	}
}
