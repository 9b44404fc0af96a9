package cgroup

import (
	"path/filepath"
	"strings"
	"testing"
)

// FuzzFolders: whatever a control group is called, its folder and those above are below a mount of its kind, and they
// are no more than its path has parts.
func FuzzFolders(f *testing.F) {
	const v2 = "35 24 0:30 / /v2 rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
	f.Add("0::/a/b\n", "/")
	f.Add("4:cpu,memory:/d/e\n0::/\n", "/d")
	f.Add("0::/../a\n", "/..")
	f.Add("0::/a/../../b\n", "/a")
	f.Add("0::a\n", "")
	f.Fuzz(func(t *testing.T, groups, root string) {
		if strings.ContainsAny(root, " \n") || len(strings.Fields(root)) != 1 {
			return // the kernel writes them in other ways
		}
		const mount = "/mounts/v1"
		mounts := "36 24 0:31 " + root + " " + mount + " rw - cgroup cgroup rw,memory\n" + v2
		n := 0
		for folder := range folders(groups, mounts, "memory") {
			n++
			if below := folder.path; filepath.Clean(below) != below || below != "/v2" && below != mount &&
				!strings.HasPrefix(below, "/v2/") && !strings.HasPrefix(below, mount+"/") {
				t.Errorf("%q: %q", groups, below)
			}
		}
		if most := 2 * (strings.Count(groups, "/") + 2); n > most {
			t.Errorf("%q: %d folders", groups, n)
		}
	})
}
