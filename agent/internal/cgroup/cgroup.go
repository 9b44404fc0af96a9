// Package cgroup reads what control groups, of version 1 and 2, keep their processes from.
package cgroup

import (
	"iter"
	"path/filepath"
	"strings"
)

// folder is that of a control group.
type folder struct {
	path string // as this process sees it
	v2   bool
}

// folders returns those of a group and of the ones above it in the hierarchy of a controller, as far as they can be
// seen below a mount. It takes the text of /proc/PID/cgroup and of /proc/PID/mountinfo.
func folders(groups, mounts, controller string) iter.Seq[folder] {
	return func(yield func(folder) bool) {
		for line := range strings.Lines(mounts) {
			before, after, _ := strings.Cut(line, " - ")
			place, kind := strings.Fields(before), strings.Fields(after)
			if len(place) < 5 || len(kind) < 3 {
				continue
			}
			root, mount, of := place[3], place[4], controller
			v2 := kind[0] == "cgroup2"
			switch {
			case v2:
				of = ""
			case kind[0] != "cgroup" || !has(kind[2], controller):
				continue
			}
			below, seen := belowMount(groupOf(groups, of), root)
			for seen {
				if !yield(folder{filepath.Join(mount, below), v2}) {
					return
				}
				if below == "/" {
					break
				}
				below = filepath.Dir(below)
			}
		}
	}
}

// belowMount returns where a group is below the mount of a group, its root; false if it is not there, or outside of the
// namespace of this process, where its path begins with dots. (cgroup_namespaces(7))
func belowMount(group, root string) (below string, ok bool) {
	if group == "/" { // that of the namespace
		return group, true
	}
	below, ok = strings.CutPrefix(group, strings.TrimSuffix(root, "/"))
	return filepath.Clean("/" + below), ok && (below == "" || below[0] == '/') && !strings.HasPrefix(group, "/..")
}

// groupOf returns the path of a group in the hierarchy of a controller, or of version 2 for none.
func groupOf(groups, controller string) string {
	for line := range strings.Lines(groups) {
		parts := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(parts) == 3 && (parts[1] == controller || controller != "" && has(parts[1], controller)) {
			return parts[2]
		}
	}
	return "/"
}

// has reports whether a list with commas has a name.
func has(list, name string) bool { return strings.Contains(","+list+",", ","+name+",") }
