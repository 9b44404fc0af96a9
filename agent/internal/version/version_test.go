package version

import (
	"regexp"
	"runtime/debug"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRead(t *testing.T) {
	settings := func(revision, modified string) []debug.BuildSetting {
		return []debug.BuildSetting{{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: revision},
			{Key: "vcs.modified", Value: modified}}
	}
	const revision = "0123456789abcdef0123456789abcdef01234567"
	main := func(version string) debug.Module { return debug.Module{Path: module, Version: version} }
	for name, c := range map[string]struct {
		build *debug.BuildInfo
		want  Info
	}{
		"no build info": {nil, Info{Module: "devel"}},
		"test":          {&debug.BuildInfo{Main: main("")}, Info{Module: "devel"}},
		"go run":        {&debug.BuildInfo{Main: main("(devel)")}, Info{Module: "devel"}},
		"go install":    {&debug.BuildInfo{Main: main("v1.2.3")}, Info{Module: "v1.2.3"}},
		"go build": {&debug.BuildInfo{Main: main("v1.2.3"), Settings: settings(revision, "false")},
			Info{Module: "v1.2.3", Commit: "0123456789ab"}},
		"modified": {&debug.BuildInfo{Main: main("(devel)"), Settings: settings(revision, "true")},
			Info{Module: "devel", Commit: "0123456789ab+modified"}},
		"short revision": {&debug.BuildInfo{Main: main("(devel)"), Settings: settings("17", "false")},
			Info{Module: "devel", Commit: "17"}},
		"library": {&debug.BuildInfo{Main: debug.Module{Path: "example.com/shop", Version: "v9.0.0"},
			Deps:     []*debug.Module{{Path: "example.com/x", Version: "v8.0.0"}, {Path: module, Version: "v1.2.3"}},
			Settings: settings(revision, "true")}, Info{Module: "v1.2.3"}},
	} {
		if diff := cmp.Diff(c.want, read(c.build)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestString(t *testing.T) {
	i := Info{Module: "v1.2.3", Commit: "abc+modified", BPF: "012345"}
	if got := i.String(); got != "hotspan v1.2.3 (commit abc+modified, BPF object 012345)" {
		t.Error(got)
	}
	i.Commit = ""
	if got := i.String(); got != "hotspan v1.2.3 (BPF object 012345)" {
		t.Error(got)
	}
	line := regexp.MustCompile(`^hotspan \S+ \((commit \S+, )?BPF object [0-9a-f]{12}\)$`)
	if got := Get().String(); !line.MatchString(got) {
		t.Error(got)
	}
}
