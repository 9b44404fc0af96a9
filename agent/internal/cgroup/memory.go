package cgroup

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/hotspan/hotspan/agent/internal/procs"
)

// MemoryLimit returns how much memory the control groups of this process leave it, in bytes: the kernel ends it beyond
// that. It is math.MaxInt64 without a limit, or if none can be read. (Linux: Documentation/admin-guide/cgroup-v2.rst,
// memory.max; cgroup-v1/memory.rst, memory.limit_in_bytes)
func MemoryLimit() int64 {
	mounts, _ := os.ReadFile("/proc/self/mountinfo")
	return memoryLimit(procs.ControlGroup(os.Getpid()), string(mounts))
}

func memoryLimit(groups, mounts string) int64 {
	least := int64(math.MaxInt64)
	for f := range folders(groups, mounts, "memory") {
		file := "memory.limit_in_bytes"
		if f.v2 {
			file = "memory.max"
		}
		text, _ := os.ReadFile(filepath.Join(f.path, file)) // "max" is no number
		if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && n > 0 {
			least = min(least, n)
		}
	}
	return least
}
