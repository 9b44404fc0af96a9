package elffile

import (
	"crypto/sha256"
	"fmt"
	"os"

	"github.com/hotspan/hotspan/agent/internal/procs"
)

// key identifies a file: by device and inode, or by the hash of its image if it is in memory only. What stands for a
// file that was not read, or was read from the memory of a process, is of that one.
type key struct {
	procs.FileID
	image [sha256.Size]byte
	pid   int // 0 for a file that was read itself
}

// keyOf is the key of an open file that a process has mapped.
func keyOf(m procs.Mapping, f *os.File) key {
	if m.Surely(f) {
		return key{FileID: m.File()}
	}
	return ofUser(m)
}

// ofUser is the key of a file that may not be the mapped one: only processes of the user for whom it is read share it.
// Who has another one taken for it has wrong names in their own processes.
func ofUser(m procs.Mapping) key {
	id := m.File()
	id.Device = fmt.Sprintf("user %d, %s", procs.ReadsFor(), id.Device)
	return key{FileID: id}
}

// keysOf are those that the file of a mapping may have.
func keysOf(m procs.Mapping) [2]key { return [...]key{{FileID: m.File()}, ofUser(m)} }
