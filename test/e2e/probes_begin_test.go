package e2e

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/hotspan/hotspan/test/cgroups"
	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/truth/trial"
)

// TestProbesBegin: the hits of all probes on a process begin to count at one time, also where hotspan has so little of
// a CPU that it takes long to put them there. Both are on one place, which is passed all the time.
func TestProbesBegin(t *testing.T) {
	draw.Third(t, seldom)
	t.Parallel()
	group, err := cgroups.New("hotspan-probes", cgroups.Limit{
		V2: "cpu.max", Text2: "6000 100000", Controller: "cpu", V1: "cpu.cfs_quota_us", Text1: "6000",
	})
	if errors.Is(err, cgroups.ErrNone) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.Remove(group); err != nil {
			t.Error(err)
		}
	})
	const opens = "const fs = require('fs'); setInterval(() => fs.closeSync(fs.openSync('/dev/null')), 1)"
	p := command(t, node24(t), "-e", opens)
	const first, second = "uprobe::uv_fs_open", "uprobe:node:uv_fs_open"
	r, err := trial.Run("/bin/sh", "-c", `echo $$ > "$0/cgroup.procs" && exec "$@"`, group, hotspan, "record", "-v",
		"-p", strconv.Itoa(p.Process.Pid), "-d", "8s", "-o", filepath.Join(t.TempDir(), "x.pb.gz"),
		"--probe", first, "--probe", second)
	if t.Log(r.Stderr); err != nil {
		t.Fatal(err)
	}
	a, _ := hitsOf(t, r.Stderr, first)
	b, _ := hitsOf(t, r.Stderr, second)
	if a == 0 || max(a, b)-min(a, b) > 1 { // one may be passed while hits begin or end to count
		t.Errorf("%d and %d hits", a, b)
	}
}
