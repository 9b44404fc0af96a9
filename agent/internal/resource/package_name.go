package resource

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hotspan/hotspan/agent/internal/procs"
)

const (
	maxLength  = 1024      // bytes of a name, a key or a value
	maxPackage = 256 << 10 // bytes of a package.json
	maxAbove   = 16        // directories above the script that are searched
)

// packageName returns the name in the package.json next to the script of a Node process, or in the nearest directory
// above, of a script in node_modules rather of the package that has these; empty if there is none.
func packageName(pid int) (name string) {
	procs.Waited(procs.UserOf(pid), func() { name = readName(pid) })
	return name
}

func readName(pid int) string {
	script := scriptOf(procs.Arguments(pid))
	if script == "" {
		return ""
	}
	if !path.IsAbs(script) {
		dir, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
		if err != nil {
			return ""
		}
		script = path.Join(dir, script)
	}
	root, err := procs.OpenRoot(pid)
	if err != nil {
		return ""
	}
	defer root.Close()
	dir := path.Dir(path.Clean(script))
	if app, _, ok := strings.Cut(dir+"/", "/node_modules/"); ok { // what the service depends on has brought the script
		if name, err := nearestName(root, path.Clean("/"+app)); name != "" || errors.Is(err, procs.ErrSlow) {
			return name
		}
	}
	name, _ := nearestName(root, dir)
	return name
}

// nearestName returns the name in the package.json of a directory, or the nearest one above; empty if there is none.
func nearestName(root *procs.RootDir, dir string) (name string, err error) {
	for range maxAbove {
		name, err = nameIn(root, path.Join(dir, "package.json"))
		if name != "" || dir == "/" || errors.Is(err, procs.ErrSlow) { // the next would most likely be slow as well
			break
		}
		dir = path.Dir(dir)
	}
	return name, err
}

// nameIn returns the name in a package.json; empty if it has none, or cannot be read.
func nameIn(root *procs.RootDir, file string) (string, error) {
	f, _, err := root.Open(file)
	if err != nil {
		return "", err
	}
	defer procs.Close(f)
	data, err := procs.ReadAll(f, maxPackage)
	if err != nil {
		return "", err
	}
	var p struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(data, &p) != nil || len(p.Name) > maxLength {
		return "", nil
	}
	return p.Name, nil
}

// withValue are Node's options whose value is the next argument (node --help, of Node 26).
var withValue = []string{
	"-r", "--require", "--import", "--loader", "--experimental-loader", "-C", "--conditions", "--env-file",
	"--env-file-if-exists", "--title", "--icu-data-dir", "--openssl-config", "--redirect-warnings", "--watch-path",
}

// withoutScript are those with which Node runs no file.
var withoutScript = []string{"-e", "--eval", "-p", "--print", "-pe", "-i", "--interactive", "--run", "--test", "-"}

// scriptOf returns the script in the arguments of a Node process; empty if none of them is one.
func scriptOf(arguments []string) string {
	for i := 1; i < len(arguments); i++ {
		switch a := arguments[i]; {
		case a == "" || slices.Contains(withoutScript, a):
			return ""
		case a == "--" && i+1 < len(arguments):
			return arguments[i+1]
		case slices.Contains(withValue, a):
			i++
		case !strings.HasPrefix(a, "-"):
			return filepath.Clean(a)
		}
	}
	return ""
}
