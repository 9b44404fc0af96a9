package e2e

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/test/cgroups"
)

// TestThrottled: a recording of a process whose control group limits its CPU time says how often that was used up, and
// so does top: not more often than the kernel has counted meanwhile.
func TestThrottled(t *testing.T) {
	t.Parallel()
	group, err := cgroups.New("hotspan-throttled", cgroups.Limit{
		V2: "cpu.max", Text2: "30000 100000", Controller: "cpu", V1: "cpu.cfs_quota_us", Text1: "30000",
	})
	if errors.Is(err, cgroups.ErrNone) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // when the process has ended
		if err := os.Remove(group); err != nil {
			t.Error(err)
		}
	})
	const script = `echo $$ > "$0/cgroup.procs" && exec "$1" -e "console.log(1); for (;;);"`
	p := exec.Command("/bin/sh", "-c", script, group, node24(t))
	out, err := p.StdoutPipe()
	if err == nil {
		err = p.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Process.Kill(); p.Wait() })
	if _, err := out.Read(make([]byte, 1)); err != nil { // before, it is still the shell
		t.Fatal(err)
	}
	said := regexp.MustCompile(`(?m)^the control group (\S+) was throttled in (\d+) of (\d+) periods, for \d`)
	for _, args := range [][]string{
		{"record", "-d", "4s", "-o", filepath.Join(t.TempDir(), "x.pb.gz")}, {"top", "-n", "1", "-i", "4s"},
	} {
		before := throttledPeriods(t, group)
		r := run(t, append(args, "-p", strconv.Itoa(p.Process.Pid))...)
		after := throttledPeriods(t, group)
		found := said.FindStringSubmatch(r.Stderr)
		if found == nil || found[1] != group {
			t.Fatalf("%s: %s", args[0], r.Stderr)
		}
		t.Logf("%s: %s; the kernel has counted %d", args[0], found[0], after-before)
		if n, _ := strconv.Atoi(found[2]); n < 5 || n > after-before {
			t.Error("these differ")
		}
	}
}

// throttledPeriods is how often the kernel has throttled a group.
func throttledPeriods(t *testing.T, group string) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(group, "cpu.stat"))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), "nr_throttled ")
	n, err := strconv.Atoi(strings.Fields(after)[0])
	if err != nil {
		t.Fatal(err)
	}
	return n
}
