package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// smallDisk returns a directory with room for 4 MiB.
func smallDisk(t *testing.T) string {
	t.Helper()
	disk := t.TempDir()
	if err := syscall.Mount("none", disk, "tmpfs", 0, "size=4m,mode=700"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Unmount(disk, syscall.MNT_DETACH) })
	return disk
}

// fill writes a file until the disk is full.
func fill(t *testing.T, name string) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for size := 1 << 16; size > 0; {
		if _, err := f.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
}

// TestFullDisk: when nothing fits on the disk, the agent says once that snapshots are in memory. They are written when
// there is room again; if there is none until the end, it says how many are lost.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	p := start(t, node24(t), "functions.js", []string{"--expose-gc"}, nil)
	const full, again = "the disk does not take snapshots", "the disk takes snapshots again"
	for name, room := range map[string]bool{"for a while": true, "to the end": false} {
		t.Run(name, func(t *testing.T) {
			disk := smallDisk(t)
			if err := os.Mkdir(filepath.Join(disk, "store"), 0o700); err != nil {
				t.Fatal(err)
			}
			fill(t, filepath.Join(disk, "full")) // before the first snapshot, which would make room for others
			a := startAgent(t, "--name", regexp.QuoteMeta(p.Log), "--period", "200ms", "--store",
				filepath.Join(disk, "store"))
			a.waitFor(t, full, 1)
			time.Sleep(2 * time.Second)
			if room {
				os.Remove(filepath.Join(disk, "full"))
				a.waitFor(t, again, 1)
			}
			a.Process.Signal(interrupt)
			err := a.Wait()
			said := a.log.String()
			if n := strings.Count(said, full); n != 1 || strings.Contains(said, "/proc/self") || room != (err == nil) {
				t.Errorf("it said %d times that the disk is full, and ended with %v: %s", n, err, said)
			}
			a.store = filepath.Join(disk, "store")
			_, written, _ := taken(t, said)
			rows, lost := 0, 0
			for _, s := range a.snapshots(t) {
				rows += len(s.Rows)
			}
			if i := strings.Index(said, " snapshots are lost"); i >= 0 {
				_, _ = fmt.Sscan(said[strings.LastIndexByte(said[:i], ' ')+1:i], &lost)
			}
			if room && (rows != written || lost > 0) || !room && (rows > 0 || lost < 5) {
				t.Errorf("%d samples are stored of %d, %d snapshots lost: %s", rows, written, lost, said)
			}
		})
	}
}
