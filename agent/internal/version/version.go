// Package version says which build of hotspan is running.
package version

import (
	"runtime/debug"
	"strings"

	"github.com/hotspan/hotspan/agent/internal/bpf"
)

const (
	module = "github.com/hotspan/hotspan"
	devel  = "devel" // the module version of a build without one
)

// Info identifies a build.
type Info struct {
	Module string // module version such as v1.2.3, or "devel"
	Commit string // 12 hexadecimal digits, with "+modified" if the work tree differed; empty where unknown
	BPF    string // hash of the embedded BPF object, see bpf.Hash
}

// Get returns the identity of the running build.
func Get() Info {
	build, _ := debug.ReadBuildInfo()
	i := read(build)
	i.BPF = bpf.Hash()
	return i
}

// read takes from what the linker wrote into the executable what it says of this module. build is nil in an executable
// that was built without modules.
func read(build *debug.BuildInfo) Info {
	i := Info{Module: devel}
	if build == nil {
		return i
	}
	if build.Main.Path != module { // hotspan is a library of another program: the commit is that program's
		for _, d := range build.Deps {
			if d.Path == module {
				i.Module = known(d.Version)
			}
		}
		return i
	}
	i.Module = known(build.Main.Version)
	i.Commit = commit(build.Settings)
	return i
}

func known(version string) string {
	if version == "" || version == "(devel)" {
		return devel
	}
	return version
}

func commit(settings []debug.BuildSetting) string {
	revision, modified := "", ""
	for _, s := range settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value[:min(len(s.Value), 12)]
		case s.Key == "vcs.modified" && s.Value == "true":
			modified = "+modified"
		}
	}
	if revision == "" {
		return ""
	}
	return revision + modified
}

// Details returns what identifies the build besides the module version: "commit 0123456789ab, BPF object 0123456789ab".
func (i Info) Details() string {
	var parts []string
	if i.Commit != "" {
		parts = append(parts, "commit "+i.Commit)
	}
	return strings.Join(append(parts, "BPF object "+i.BPF), ", ")
}

// String returns the line that hotspan --version prints.
func (i Info) String() string { return "hotspan " + i.Module + " (" + i.Details() + ")" }
