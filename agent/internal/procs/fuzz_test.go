package procs

import (
	"regexp"
	"strings"
	"testing"
)

var (
	anyContainer = regexp.MustCompile(`^([0-9a-f]{64}|[0-9a-f]{32}-[0-9]{1,20})$`)
	anyPod       = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
)

// FuzzControlGroups: whatever control groups are called, the ids that are found in them look like ids, and a group is
// in the one that its path names.
func FuzzControlGroups(f *testing.F) {
	id := strings.Repeat("0a", 32)
	f.Add("0::/kubepods.slice/kubepods-pod01234567_89ab_cdef_0123_456789abcdef.slice/cri-containerd-" + id + ".scope\n")
	f.Add("4:memory:/ecs/" + id[:32] + "-12345\n")
	f.Add("0::/a:b/c (deleted)\n")
	f.Add(":\n::\n/")
	f.Fuzz(func(t *testing.T, groups string) {
		if got := ContainerID(groups); got != "" && (!anyContainer.MatchString(got) || !strings.Contains(groups, got)) {
			t.Errorf("container %q", got)
		}
		if got := PodUID(groups); got != "" && !anyPod.MatchString(got) {
			t.Errorf("pod %q", got)
		}
		for _, pattern := range []string{"/a", "b/*", "[a-", "*"} {
			if InControlGroup("0::/a/b/c\n"+groups, pattern) != (pattern != "[a-") &&
				!InControlGroup(groups, pattern) {
				t.Errorf("in %q: wrong", pattern)
			}
		}
		StatusField([]byte(groups), "NSpid")
	})
}
