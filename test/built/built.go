// Package built has the hotspan that tests run.
package built

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Variable names the variable of the environment that has the path of a hotspan, for many tests, or where there is no
// compiler.
const Variable = "HOTSPAN_COMMAND"

// Hotspan returns the path of the hotspan that Variable says, or of one that it builds in a folder. root is the path of
// the repository.
func Hotspan(folder, root string) (string, error) {
	if path := os.Getenv(Variable); path != "" {
		return path, nil
	}
	path := filepath.Join(folder, "hotspan")
	if out, err := exec.Command("go", "build", "-C", root, "-o", path, ".").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build hotspan: %w\n%s", err, out)
	}
	return path, nil
}
