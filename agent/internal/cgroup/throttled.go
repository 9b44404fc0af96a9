package cgroup

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hotspan/hotspan/agent/internal/procs"
)

// Throttled is how often and how long the limit of a control group kept its threads off the CPUs.
type Throttled struct {
	Folder  string        // of the group
	Periods int64         // that it was used in
	Reached int64         // in how many of them the limit was reached
	Time    time.Duration // that it was throttled for, as the kernel counts it
}

// Watch reads how long processes were throttled. The zero value watches none.
type Watch struct {
	mounts string // /proc/self/mountinfo
	before map[string]Throttled
}

// maxGroups bounds the groups that are watched.
const maxGroups = 1000

// Add watches the control groups of a process from now on, those above them too, as far as they limit CPU time.
func (w *Watch) Add(pid int) {
	if w.before == nil {
		mounts, _ := os.ReadFile("/proc/self/mountinfo")
		w.mounts, w.before = string(mounts), map[string]Throttled{}
	}
	groups := procs.ControlGroup(pid)
	if groups == "" { // it has ended
		return
	}
	for f := range folders(groups, w.mounts, "cpu") {
		if _, known := w.before[f.path]; known || len(w.before) == maxGroups {
			continue
		}
		if now, ok := throttled(f.path); ok {
			w.before[f.path] = now
		}
	}
}

// Throttled returns the groups whose limit was reached since they were added, by the names of their folders.
func (w *Watch) Throttled() (out []Throttled) {
	for _, folder := range slices.Sorted(maps.Keys(w.before)) {
		before := w.before[folder]
		now, ok := throttled(folder)
		if ok && now.Reached > before.Reached {
			now.Periods, now.Reached, now.Time = now.Periods-before.Periods, now.Reached-before.Reached,
				now.Time-before.Time
			out = append(out, now)
		}
	}
	return out
}

// throttled reads the counts of a group; false if it has none. (Linux: Documentation/admin-guide/cgroup-v2.rst,
// cpu.stat; scheduler/sched-bwc.rst)
func throttled(folder string) (t Throttled, ok bool) {
	text, _ := os.ReadFile(filepath.Join(folder, "cpu.stat"))
	t.Folder = folder
	for line := range strings.Lines(string(text)) {
		var key string
		var n int64
		if _, err := fmt.Sscan(line, &key, &n); err != nil {
			continue
		}
		switch key {
		case "nr_periods":
			t.Periods, ok = n, true
		case "nr_throttled":
			t.Reached = n
		case "throttled_usec": // of version 2
			t.Time = time.Duration(n) * time.Microsecond
		case "throttled_time":
			t.Time = time.Duration(n)
		}
	}
	return t, ok
}
