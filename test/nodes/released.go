package nodes

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Released lists the versions of all official releases that npm has, as npm lists them.
func Released() ([]string, error) {
	var out []string
	err := view(&out, npmPackage, "versions")
	return out, err
}

// Download gets a release that need not be in test/nodes.json, with the integrity that npm's registry says, and returns
// the path of its node executable below dir. The caller removes dir, which Download makes.
func Download(version, dir string) (node string, err error) {
	v := Version{Version: version}
	if err := view(&v.Integrity, npmPackage+"@"+version, "dist.integrity"); err != nil {
		return "", err
	}
	dir = filepath.Join(dir, version)
	if err := get(official(v), dir); err != nil {
		return "", fmt.Errorf("node %s: %w", version, err)
	}
	return filepath.Join(dir, "bin", "node"), nil
}

// view asks npm for a field of a package.
func view(to any, spec, field string) error {
	cmd := exec.Command("npm", "view", spec, field, "--json")
	cmd.Dir = os.TempDir() // so that no package.json here has a say in it
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("npm view %s %s: %w\n%s", spec, field, err, strings.TrimSpace(stderr.String()))
	}
	if err := json.Unmarshal(out, to); err != nil {
		return fmt.Errorf("npm view %s %s: %w", spec, field, err)
	}
	return nil
}
