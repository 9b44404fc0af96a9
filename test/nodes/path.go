package nodes

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Path returns the path of the node executable of a version of test/nodes.json. The first call for a version downloads
// the package with npm into the user's cache folder, which may take minutes. It is safe for concurrent use, also by
// several processes.
func Path(version string) (string, error) {
	list, err := read()
	if err != nil {
		return "", err
	}
	known := make([]string, len(list))
	for i, v := range list {
		if v.Version == version {
			return provide(v)
		}
		known[i] = v.Version
	}
	return "", fmt.Errorf("node %s: not in test/nodes.json, which has %s", version, strings.Join(known, ", "))
}

func provide(v Version) (string, error) { return provideFrom(official(v), v.Version) }

// provideFrom returns the path of the executable of a package, which is kept under a name.
func provideFrom(s source, name string) (string, error) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return "", fmt.Errorf("node %s: the package does not run on %s/%s", name, runtime.GOOS, runtime.GOARCH)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("node %s: where to keep it: %w", name, err)
	}
	dir := filepath.Join(cache, "hotspan", "node", name)
	node := filepath.Join(dir, "bin", "node")
	if _, err := os.Stat(node); !errors.Is(err, fs.ErrNotExist) {
		return node, err
	}
	if err := get(s, dir); err != nil {
		return "", fmt.Errorf("node %s: %w", name, err)
	}
	return node, nil
}
