package process

import "github.com/hotspan/hotspan/agent/internal/procs"

// maxWithoutV8 bounds the executables that are remembered.
const maxWithoutV8 = 1 << 12

// WithoutV8 remembers executables whose processes have no V8. The zero value knows none.
type WithoutV8 struct{ known map[procs.FileID]bool }

// Has reports whether the executable of a process is one of them.
func (w *WithoutV8) Has(pid int) bool {
	id, err := procs.ExecutableID(pid)
	return err == nil && w.known[id]
}

// Add remembers the executable of a process.
func (w *WithoutV8) Add(pid int) {
	id, err := procs.ExecutableID(pid)
	if err != nil {
		return
	}
	if w.known == nil || len(w.known) >= maxWithoutV8 {
		w.known = map[procs.FileID]bool{}
	}
	w.known[id] = true
}
