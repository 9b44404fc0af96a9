package probe

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/test/nodes/live"
)

// TestOverlaidExecutable: on an overlay of two file systems an executable has another device than its mappings. It is
// the executable all the same: a uretprobe in it is not refused, and its functions are listed without its name.
func TestOverlaidExecutable(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("to mount file systems needs root")
	}
	node, rest, merged := live.Binary(t, "24.21.0"), t.TempDir(), t.TempDir()
	mount := func(kind, dir, options string) {
		if err := unix.Mount(kind, dir, kind, 0, options); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	}
	mount("tmpfs", rest, "")
	mount("overlay", merged, fmt.Sprintf("lowerdir=%s:%s", filepath.Dir(node), rest))
	process := exec.Command(filepath.Join(merged, "node"), "-e", "console.log('ready'); process.stdin.resume()")
	in, _ := process.StdinPipe()
	out, _ := process.StdoutPipe()
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { in.Close(); _ = process.Wait() }()
	if _, err := fmt.Fscanln(out, new(string)); err != nil {
		t.Fatal(err)
	}
	s, err := Parse("uretprobe:node:uv_loop_alive")
	if err != nil {
		t.Fatal(err)
	}
	place, err := Find(process.Process.Pid, s)
	if err != nil {
		t.Error(err)
	} else {
		place.File.Close()
	}
	all, err := List(process.Process.Pid, "uv_loop_alive")
	if err != nil || len(all) != 1 || all[0].Probe != "uprobe::uv_loop_alive" {
		t.Errorf("%v, %v", all, err)
	}
}
