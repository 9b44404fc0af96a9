package elffile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/agent/internal/symbols"
	"github.com/hotspan/hotspan/v8/elfheaders"
)

// debugDir is where distributions put separate debug files, named by build id. (GDB manual, "Debugging Information in
// Separate Files")
const debugDir = "/usr/lib/debug/.build-id"

// openDebug opens the separate debug file of a build id below the first of the roots that has it. It is nil if none
// has.
func openDebug(roots []string, buildID string) (*os.File, error) {
	if len(buildID) < 4 {
		return nil, nil
	}
	for _, root := range roots {
		f, err := openBelow(root, filepath.Join(debugDir, buildID[:2], buildID[2:]+".debug"))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if err := checkDebug(f, buildID); err != nil {
			procs.Close(f)
			return nil, err
		}
		return f, nil
	}
	return nil, nil
}

// openBelow opens a regular file below a root, without blocking: the root of a process may hold anything.
func openBelow(root, file string) (*os.File, error) {
	dir, err := procs.OpenRootDir(root)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	f, _, err := dir.Open(file)
	return f, err
}

// checkDebug returns an error if a file is not the debug file of a build id: names of another build would be wrong.
func checkDebug(f *os.File, buildID string) error {
	ef, err := elfheaders.Open(procs.NewTimed(f))
	if err != nil {
		return fmt.Errorf("%s: %w", f.Name(), err)
	}
	id, err := symbols.BuildID(ef)
	if err != nil {
		return fmt.Errorf("%s: %w", f.Name(), err)
	}
	if id != buildID {
		return fmt.Errorf("%s: its build id is %s", f.Name(), id)
	}
	return nil
}
