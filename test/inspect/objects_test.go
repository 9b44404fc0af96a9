package inspect

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/nodes/live"
)

// census is what hotspan inspect prints of the objects of a heap.
type census struct {
	Kinds []struct {
		Name         string
		Properties   []string
		Count, Bytes uint64
	}
	More                                    int
	ObjectBytes, NotReadBytes, ChangedBytes uint64
	Collecting                              bool
}

// objectsProgram are the arguments of Node.js for the program that holds objects. It ends or waits.
func objectsProgram(t *testing.T, dir, how string) []string {
	t.Helper()
	script, err := filepath.Abs("testdata/objects.js")
	if err != nil {
		t.Fatal(err)
	}
	return []string{"--expose-gc", script, dir, how}
}

// TestObjects: the objects in a core that the kernel has written, in one of gdb's and in a process that runs are those
// that the program holds, and those that V8's own snapshot of the heap has.
func TestObjects(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	for _, v := range versions() {
		t.Run(v.Version, func(t *testing.T) {
			t.Run("died", func(t *testing.T) {
				live.NeedCores(t)
				dir := t.TempDir()
				checkObjects(t, dir, live.Core(t, v.Version, objectsProgram(t, dir, "abort")...))
			})
			t.Run("lives", func(t *testing.T) { objectsOfLive(t, v) })
		})
	}
}

func objectsOfLive(t *testing.T, v nodes.Version) {
	dir := t.TempDir()
	p := live.Start(t, v.Version, objectsProgram(t, dir, "wait")...)
	defer syscall.Kill(p.PID, syscall.SIGKILL)
	pid := strconv.Itoa(p.PID)
	checkObjects(t, dir, "-p", pid)
	if _, err := exec.LookPath("gcore"); err != nil {
		t.Skip("gdb is not installed")
	}
	name := filepath.Join(dir, "core")
	if text, err := exec.Command("gcore", "-o", name, pid).CombinedOutput(); err != nil {
		t.Fatalf("gcore: %v: %s", err, text)
	}
	checkObjects(t, dir, name+"."+pid)
}

// safe are classes of Node.js itself that have the tag of the class they are made of, by which snapshots name them.
var safe = map[string]string{"SafeMap": "Map", "SafeSet": "Set", "SafeWeakMap": "WeakMap"}

func checkObjects(t *testing.T, dir string, of ...string) {
	t.Helper()
	var want map[string]uint64
	text, err := os.ReadFile(filepath.Join(dir, "truth.json"))
	var got census
	err = errors.Join(err, json.Unmarshal(text, &want), inspect(&got, append(of, "objects", "-n", "1000000")...))
	if err != nil || len(want) < 10 {
		t.Fatalf("%v: %s", err, text)
	}
	if got.NotReadBytes != 0 || got.ChangedBytes != 0 || got.More != 0 {
		t.Errorf("%d bytes not read, %d changed, %d kinds more", got.NotReadBytes, got.ChangedBytes, got.More)
	}
	ours := map[string]counted{}
	var all counted
	for _, k := range got.Kinds {
		all.Bytes += k.Bytes
		if usual := safe[k.Name]; usual != "" {
			k.Name = usual
		}
		ours[k.Name] = counted{ours[k.Name].Count + k.Count, ours[k.Name].Bytes + k.Bytes}
	}
	if all.Bytes != got.ObjectBytes {
		t.Errorf("kinds of %d bytes, %d in all", all.Bytes, got.ObjectBytes)
	}
	snapshot := readSnapshot(t, dir)
	theirs := snapshot.objects()
	for name, n := range want {
		if theirs[name].Count < n || ours[name].Count < n {
			t.Errorf("%s: %d objects in V8's snapshot, %d here, of %d", name, theirs[name].Count, ours[name].Count, n)
		}
		builtin := strings.Contains("Map Set Date Float64Array Promise RangeError WeakMap Generator AsyncGenerator "+
			"Arguments Array Iterator", name)
		if !builtin && (ours[name].Count != n || ours[name] != theirs[name]) {
			t.Errorf("%s: %+v in V8's snapshot, %+v here, want %d", name, theirs[name], ours[name], n)
		}
		// By their tags prototypes of classes count as objects of them in the snapshot; Node.js has made some since.
		const few = 5
		if ours[name].Count > theirs[name].Count+few || ours[name].Count+few < theirs[name].Count {
			t.Errorf("%s: %+v in V8's snapshot, %+v here", name, theirs[name], ours[name])
		}
	}
	compareAll(t, theirs, ours)
}

// compareAll compares all objects of JavaScript. V8's snapshot was written a moment before: the program has made some
// since.
func compareAll(t *testing.T, theirs, ours map[string]counted) {
	t.Helper()
	var want, got counted
	for name, c := range theirs {
		if !strings.HasPrefix(name, "system / ") {
			want = counted{want.Count + c.Count, want.Bytes + c.Bytes}
		}
	}
	for name, c := range ours {
		if !strings.HasPrefix(name, "(") {
			got = counted{got.Count + c.Count, got.Bytes + c.Bytes}
		}
	}
	const more, bytes = 150, 16 << 10
	if got.Count < want.Count || got.Count > want.Count+more || got.Bytes < want.Bytes || got.Bytes > want.Bytes+bytes {
		t.Errorf("%+v objects in V8's snapshot, %+v here", want, got)
	}
}
