package budget

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/hotspan/hotspan/agent/internal/procs"
)

// GroupLimit returns how much memory the control groups of this process leave it, in bytes: the kernel ends it beyond
// that. It is math.MaxInt64 without a limit, or if none can be read. (Linux: Documentation/admin-guide/cgroup-v2.rst,
// memory.max; cgroup-v1/memory.rst, memory.limit_in_bytes)
func GroupLimit() int64 {
	mounts, _ := os.ReadFile("/proc/self/mountinfo")
	return groupLimit(procs.ControlGroup(os.Getpid()), string(mounts))
}

// groupLimit takes the text of /proc/PID/cgroup and of /proc/PID/mountinfo.
func groupLimit(groups, mounts string) int64 {
	least := int64(math.MaxInt64)
	for line := range strings.Lines(mounts) {
		before, after, _ := strings.Cut(line, " - ")
		place, kind := strings.Fields(before), strings.Fields(after)
		if len(place) < 5 || len(kind) < 3 {
			continue
		}
		root, mount := place[3], place[4]
		switch {
		case kind[0] == "cgroup2":
			least = min(least, leastOf(mount, root, memoryGroup(groups, ""), "memory.max"))
		case kind[0] == "cgroup" && has(kind[2], "memory"):
			least = min(least, leastOf(mount, root, memoryGroup(groups, "memory"), "memory.limit_in_bytes"))
		}
	}
	return least
}

// memoryGroup returns the path of a group in the hierarchy of a controller, or of version 2 for none.
func memoryGroup(groups, controller string) string {
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

// leastOf returns the least limit of a group and those above it, as far as they can be seen below a mount.
func leastOf(mount, root, group, file string) int64 {
	least := int64(math.MaxInt64)
	below := filepath.Clean("/" + strings.TrimPrefix(group, root))
	for {
		text, _ := os.ReadFile(filepath.Join(mount, below, file)) // "max" is no number
		if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && n > 0 {
			least = min(least, n)
		}
		if below == "/" {
			return least
		}
		below = filepath.Dir(below)
	}
}
