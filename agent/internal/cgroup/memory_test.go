package cgroup

import (
	"math"
	"os"
	"path/filepath"
	"testing"
)

// TestMemoryLimit: the least limit of a group and of those above it counts, in both versions of control groups, seen
// from the machine and from a container.
func TestMemoryLimit(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"v2/memory.max": "max\n", "v2/a/memory.max": "100\n", "v2/a/b/memory.max": "300\n", "v2/c/memory.max": "max\n",
		"v1/memory.limit_in_bytes":   "9223372036854771712\n",
		"v1/d/memory.limit_in_bytes": "200\n", "v1/d/e/memory.limit_in_bytes": "150\n",
	} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	v2 := func(root, mount string) string {
		return "35 24 0:30 " + root + " " + dir + mount + " rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
	}
	v1 := func(root, mount string) string {
		return "36 24 0:31 " + root + " " + dir + mount + " rw - cgroup cgroup rw,memory\n"
	}
	for name, c := range map[string]struct {
		groups, mounts string
		want           int64
	}{
		"its own":               {"0::/a\n", v2("/", "/v2"), 100},
		"of one above":          {"0::/a/b\n", v2("/", "/v2"), 100},
		"none":                  {"0::/c\n", v2("/", "/v2"), math.MaxInt64},
		"in a namespace":        {"0::/\n", v2("/", "/v2/a/b"), 300},
		"in a container":        {"0::/a/b\n", v2("/a", "/v2/a"), 100},
		"version 1":             {"4:cpu,memory:/d/e\n0::/\n", v1("/", "/v1"), 150},
		"version 1, above":      {"4:memory:/d/x\n", v1("/", "/v1"), 200},
		"version 1, container":  {"4:memory:/d/e\n", v1("/d/e", "/v1/d/e"), 150},
		"both":                  {"4:memory:/d\n0::/a\n", v1("/", "/v1") + v2("/", "/v2"), 100},
		"unlimited, version 1":  {"4:memory:/\n", v1("/", "/v1"), 9223372036854771712},
		"outside the namespace": {"0::/../a\n", v2("/", "/v2"), math.MaxInt64},
		"outside the mount":     {"0::/c/a\n", v2("/a", "/v2/a"), math.MaxInt64},
		"a name that goes on":   {"0::/ab\n", v2("/a", "/v2/a"), math.MaxInt64},
		"no mounts":             {"0::/a\n", "", math.MaxInt64},
		"lines of another kind": {"\n:\n", "x\n35 24 0:30 / /x rw - tmpfs\n - cgroup2\n", math.MaxInt64},
	} {
		if got := memoryLimit(c.groups, c.mounts); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
	if n := MemoryLimit(); n <= 0 {
		t.Errorf("this process may have %d bytes", n)
	}
}
