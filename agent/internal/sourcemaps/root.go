package sourcemaps

import "github.com/hotspan/hotspan/agent/internal/procs"

// rootUses says whether the root of a process is needed. Open, it keeps the file systems of a container. The lock of
// Maps guards it.
type rootUses struct {
	root    *procs.RootDir // nil: there is none
	scripts int            // whose maps may still be read
	ended   bool           // the process has
}

// close closes a root that is not needed any more.
func (u *rootUses) close() {
	if u.ended && u.scripts == 0 && u.root != nil {
		go u.root.Close() // a file system may make it wait
	}
}
