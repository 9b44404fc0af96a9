package inspect

import (
	"encoding/json"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/hotspan/hotspan/test/nodes/live"
)

// TestLarge: the objects of a heap of 2 GB are counted in bounded memory.
func TestLarge(t *testing.T) {
	if !*all {
		t.Skip("it takes 3 GB of memory: only with -all")
	}
	list := versions()
	p := live.Start(t, list[len(list)-1].Version, "--expose-gc", "--max-old-space-size=4000",
		"testdata/large.js")
	defer syscall.Kill(p.PID, syscall.SIGKILL)
	rows, err := strconv.ParseUint(strings.TrimPrefix(p.Line, "ready "), 10, 64)
	if err != nil || rows < 1_000_000 {
		t.Fatalf("%q: %v", p.Line, err)
	}
	cmd := exec.Command(hotspan, "inspect", "--json", "-p", strconv.Itoa(p.PID), "objects")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var got census
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	found := map[string]uint64{}
	for _, k := range got.Kinds {
		found[k.Name] += k.Count
	}
	memory := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
	t.Logf("%d rows, %d found, %d MB of objects, with %d KiB of memory and %v of CPU time", rows, found["Row"],
		got.ObjectBytes>>20, memory, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
	if found["Row"] != rows || got.NotReadBytes != 0 || got.ChangedBytes != 0 {
		t.Errorf("%d rows, want %d; %d bytes not read, %d changed",
			found["Row"], rows, got.NotReadBytes, got.ChangedBytes)
	}
	const most = 500 << 10 // KiB
	if memory > most {
		t.Errorf("%d KiB of memory", memory)
	}
}
