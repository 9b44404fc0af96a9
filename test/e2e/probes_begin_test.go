package e2e

import (
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/cgroups"
	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/truth/trial"
)

// starved is a control group that has little of a CPU.
func starved(t *testing.T) (group string) {
	t.Helper()
	group, err := cgroups.New("hotspan-probes-"+t.Name(), cgroups.Limit{
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
	return group
}

// TestProbesBegin: the hits of all probes on a process begin to count at one time, also where hotspan has so little of
// a CPU that it takes long to put them there. Both are on one place, which is passed all the time.
func TestProbesBegin(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	group := starved(t)
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

var lateOnProcess = regexp.MustCompile(`(?m)^(uprobe:\S+): \d+ hits.*, on a process only ([\d.]+) s after`)

// TestProbesLate: of a process that starts later hotspan says how late its probes were. Both are on one place, which is
// passed all the time.
func TestProbesLate(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	group := starved(t)
	const first, second = "uprobe::uv_fs_open", "uprobe:node:uv_fs_open"
	untilEnough(t, func(times int) bool {
		hit, late := probeLater(t, group, first, second, time.Duration(times)*20*time.Second)
		t.Logf("late %v, first hits after %v", late, hit)
		if len(hit) == 1 && len(late) < 2 {
			t.Error("nothing is said of a probe that was not put there in time")
		}
		if len(hit) < 2 && times < 8 {
			return false
		}
		between := (hit[second] - hit[first]) - (late[second] - late[first])
		if len(hit) < 2 || late[second] < 0.1 || late[second] > hit[second] || math.Abs(between) > 0.5 {
			t.Errorf("%.3f s between", between)
		}
		return true
	})
}

// probeLater records two probes for d, in a control group. It returns how many seconds after its start a process that
// starts meanwhile had the first hit of each, and how late each was by what hotspan says.
func probeLater(t *testing.T, group, first, second string, d time.Duration) (hit, late map[string]float64) {
	t.Helper()
	const opens = "const fs = require('fs'); setInterval(() => fs.closeSync(fs.openSync('/dev/null')), 5)"
	node, dir := node24(t), t.TempDir()
	command(t, node, "-e", opens, dir)
	out, log := filepath.Join(dir, "x.jsonl"), filepath.Join(dir, "log")
	c := exec.Command("/bin/sh", "-c", `echo $$ > "$0/cgroup.procs" && exec "$@"`, group, hotspan, "record",
		"-v", "--name", "setInterval.* "+dir, "-d", d.String(), "-o", out, "--probe", first, "--probe", second)
	var err error
	if c.Stderr, err = os.Create(log); err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	awaitText(t, log, "first named sample")
	begun := time.Now()
	p := command(t, node, "-e", opens, dir)
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
	said, err := os.ReadFile(log)
	if t.Logf("%s", said); err != nil {
		t.Fatal(err)
	}
	hit, late = map[string]float64{}, map[string]float64{}
	for _, s := range readSamples(t, out) {
		name := s.Labels["hotspan.probe"].(string)
		if _, ok := hit[name]; !ok && s.PID == p.Process.Pid {
			hit[name] = time.Unix(0, s.T).Sub(begun).Seconds()
		}
	}
	for _, m := range lateOnProcess.FindAllStringSubmatch(string(said), -1) {
		late[m[1]], _ = strconv.ParseFloat(m[2], 64)
	}
	return hit, late
}
