package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/test/draw"
)

// TestConditions: of the calls with known arguments, and the returns with known results, those are hits that a probe
// asks for; the others are counted.
func TestConditions(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	eachNode(t, func(t *testing.T, node string) {
		library := addon(t, node, "probed.c")
		t.Run("results", func(t *testing.T) { // descend returns 1 to 8
			const above, below = "uretprobe:probed.node:descend,if=ret>5", "uretprobe:probed.node:descend,if=ret<=2"
			r := recordAddon(t, node, library, "descend", []string{above, below})
			for probe, hits := range map[string]int{above: 3, below: 2} {
				countHits(t, &r, probe, hits)
				want := fmt.Sprintf("%s: %d hits, %d others left out by if\n", probe, hits*r.sum(), (8-hits)*r.sum())
				if !strings.Contains(r.said, want) {
					t.Errorf("%q is not said", want)
				}
			}
		})
		t.Run("arguments", func(t *testing.T) { // malloc of 1000, 2000 and 3000, realloc to 9000 and 12000
			want := map[string]int{
				"uprobe:libc.so.6:malloc,if=arg0==2000": 1, "uprobe:libc.so.6:malloc,if=arg0>=2000": 2,
				"uprobe:libc.so.6:malloc,if=arg0<2000": 1, "uprobe:libc.so.6:malloc,if=arg0!=2000": 2,
				"uprobe:libc.so.6:realloc,if=arg1>9000": 1, "uprobe:libc.so.6:realloc,if=arg1<=0x2328": 1,
			}
			var probes []string
			for probe := range want {
				probes = append(probes, probe)
			}
			r := recordAddon(t, node, library, "take", probes)
			got := map[any]int{}
			for _, s := range r.samples {
				if len(s.Stack) > 1 && s.Stack[1].F == "take" {
					got[s.Labels["hotspan.probe"]]++
				}
			}
			for probe, hits := range want {
				if got[probe] != hits*r.sum() {
					t.Errorf("%s: %d hits, want %d", probe, got[probe], hits*r.sum())
				}
			}
			lostOf(t, r.said)
		})
		t.Run("system calls", func(t *testing.T) { // getpriority(PRIO_PROCESS, 0)
			const met, unmet = "syscall:getpriority,if=arg1==0", "uprobe::uv_os_getpriority,if=arg0>0"
			r := recordProbes(t, node, nil, []string{met, unmet})
			for probe, hits := range map[string]int{met: r.sum(), unmet: 0} {
				if all, _ := hitsOf(t, r.said, probe); all != hits {
					t.Errorf("%s: %d hits, want %d", probe, all, hits)
				}
			}
			want := fmt.Sprintf("%s: 0 hits, %d others left out by if\n", unmet, r.sum())
			if !strings.Contains(r.said, want) {
				t.Errorf("%q is not said", want)
			}
		})
	})
}

// TestResults: of the calls of a system call those are hits that return what a probe asks for. Requests open what is
// missing, and before them files are opened that are there.
func TestResults(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, node string) {
		const begun, missing = "syscall:openat", "syscall:openat,if=ret==0xfffffffffffffffe" // -ENOENT
		r := recordProbes(t, node, []string{"FUNCTION=missing"}, []string{begun, missing})
		for _, probe := range []string{begun, missing} {
			got := map[string]int{}
			for _, s := range r.samples {
				switch {
				case s.Labels["hotspan.probe"] != probe:
				case in(&s, "missing"):
					got[endpoint(&s)]++
				case probe == missing && in(&s, "warm"):
					t.Error("an open of what is there is a hit")
				}
			}
			compareHits(t, probe, r.Called, got, unlabelledOf(r.said))
		}
		lostOf(t, r.said)
	})
}
