// Package npm tests the npm package hotspan as it is packed and installed.
package npm

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"sync"
)

// App returns a folder in which the packages are installed from their tarballs, as npm i hotspan does. The first call
// has make build, pack and install them. root is the path of the repository.
func App(root string) (string, error) {
	app, err := filepath.Abs(filepath.Join(root, "bin/npm/app"))
	if err != nil {
		return "", err
	}
	return app, install(root)
}

var installing sync.Once
var installed error

func install(root string) error {
	installing.Do(func() {
		if out, err := exec.Command("make", "--no-print-directory", "-C", root, "npm").CombinedOutput(); err != nil {
			installed = fmt.Errorf("make npm: %w\n%s", err, out)
		}
	})
	return installed
}
