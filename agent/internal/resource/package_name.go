package resource

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"strings"

	"github.com/hotspan/hotspan/agent/internal/nodeargs"
	"github.com/hotspan/hotspan/agent/internal/procs"
)

const (
	maxLength  = 1024      // bytes of a name, a key or a value
	maxPackage = 256 << 10 // bytes of a package.json
	maxAbove   = 16        // directories above the script that are searched
)

// packageName returns the name in the package.json next to the script of a Node process, or in the nearest directory
// above, of a script in node_modules above that; empty if there is none.
func (o *Origin) packageName() (name string) {
	procs.Waited(procs.UserOf(o.PID), func() { name = o.readName() })
	return name
}

func (o *Origin) readName() string {
	script := o.script()
	if script == "" {
		return ""
	}
	if !path.IsAbs(script) {
		dir, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", o.PID))
		if err != nil {
			return ""
		}
		script = path.Join(dir, script)
	}
	root, err := procs.OpenRoot(o.PID)
	if err != nil {
		return ""
	}
	defer root.Close()
	dir := path.Dir(path.Clean(script))
	if app, _, ok := strings.Cut(dir+"/", "/node_modules/"); ok { // what the service depends on has brought the script
		dir = cmp.Or(app, "/")
	}
	for range maxAbove {
		name, err := nameIn(root, path.Join(dir, "package.json"))
		if name != "" || dir == "/" || errors.Is(err, procs.ErrSlow) { // the next would most likely be slow as well
			return name
		}
		dir = path.Dir(dir)
	}
	return ""
}

// script returns the script of a Node process; empty if it is not known.
func (o *Origin) script() string {
	_, script := nodeargs.Split(procs.Arguments(o.PID))
	if script == "" || strings.HasPrefix(path.Base(script), "ProcessContainer") {
		script = scriptOfPM2(o.Environment())
	}
	return script
}

// scriptOfPM2 returns the script that PM2 has a process run, which begins with one of PM2's own and then gives itself a
// title. (pm2: lib/God/ForkMode.js, lib/God/ClusterMode.js)
func scriptOfPM2(e procs.Environment) string {
	if script := e.Variable("pm_exec_path"); script != "" {
		return script
	}
	var app struct {
		Script string `json:"pm_exec_path"`
	}
	_ = json.Unmarshal([]byte(e.Variable("pm2_env")), &app) // of cluster mode
	return app.Script
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
