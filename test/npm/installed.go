// Package npm tests the npm package hotspan as it is packed and installed.
package npm

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
)

// Variable names the variable of the environment that has the path of what App returned before, for many tests.
const Variable = "HOTSPAN_APP"

// App returns a folder in which the packages are installed from their tarballs, as npm i hotspan does: the one that
// Variable says, or the first call has make build, pack and install them. root is the path of the repository.
func App(root string) (string, error) {
	if app := os.Getenv(Variable); app != "" {
		return app, nil
	}
	app, err := filepath.Abs(filepath.Join(root, "bin/npm/app"))
	if err != nil {
		return "", err
	}
	return app, install(root)
}

var (
	installing sync.Once
	installed  error
	lock       *os.File // held until this process ends
)

// install installs the packages once. Another test process that does so waits for the end of this one, since it removes
// what this one runs.
func install(root string) error {
	installing.Do(func() {
		if lock, installed = locked(filepath.Join(root, "bin")); installed != nil {
			return
		}
		if out, err := exec.Command("make", "--no-print-directory", "-C", root, "npm").CombinedOutput(); err != nil {
			installed = fmt.Errorf("make npm: %w\n%s", err, out)
		}
	})
	return installed
}

// locked waits for the lock of a directory, which closing the file gives up.
func locked(dir string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, "npm.lock"), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	return f, syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
}
