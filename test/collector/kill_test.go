package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

var kills = flag.Int("kills", 10, "how often TestKill kills the agent")

// TestKill: killed at any moment, an agent leaves no BPF program behind, its target goes on, its store can be read, and
// the next agent delivers what is left, though the disk was full or an entry is corrupt.
func TestKill(t *testing.T) {
	t.Parallel()
	target := startTarget(t)
	r := &killing{agent: newAgent(t), to: newStoring(t), kept: map[string]map[taking]bool{}}
	r.period, r.endpoint, r.name = 100*time.Millisecond, "http://"+r.to.address, target.name
	r.mount(t)
	for i := range *kills {
		switch i % 10 {
		case 3:
			r.fullDisk(t)
		case 7:
			r.corrupt(t)
		default:
			r.start(t)
			r.kill(t)
		}
		if t.Failed() {
			t.Fatalf("at round %d\n%s", i, &r.log)
		}
	}
	r.start(t)
	r.waitForSnapshots(t, 5)
	r.end(t)
	r.read(t)
	want := map[taking]bool{}
	for _, samples := range r.kept {
		for k := range samples {
			want[k] = true
		}
	}
	t.Logf("%d snapshots, %d corrupt, of %d BPF programs and maps none left", len(r.kept), r.corrupted, r.objects)
	if r.objects == 0 || r.damaged+strings.Count(r.log.String(), isDamaged) < r.corrupted {
		t.Errorf("%d BPF programs and maps, %d damaged snapshots of %d seen", r.objects, r.damaged, r.corrupted)
	}
	r.to.check(t, want, *kills+1) // an agent that is killed before it has noted an acknowledgement delivers again
	target.checkUnharmed(t)
}

// isDamaged is what an agent says of an entry that it cannot read.
const isDamaged = "snapshot is damaged"

// killing is an agent that is killed time and again.
type killing struct {
	*agent
	to                 *storing
	kept               map[string]map[taking]bool // samples by file of the store
	corrupted, damaged int                        // snapshots that were overwritten, and that agents have met
	objects            int                        // BPF programs and maps that went with the agent
}

// mount gives the store a disk of its own, so that it can be full.
func (r *killing) mount(t *testing.T) {
	t.Helper()
	if err := os.Mkdir(r.store, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", r.store, "tmpfs", 0, "size=64m,mode=0700"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Unmount(r.store, unix.MNT_DETACH) })
}

// kill kills the agent at some moment: it begins to sample after half a second or so.
func (r *killing) kill(t *testing.T) {
	t.Helper()
	time.Sleep(time.Duration(rand.IntN(2000)) * time.Millisecond)
	ids := bpfObjects(t, r.process.Process.Pid)
	r.process.Process.Kill()
	r.process.Wait()
	checkGone(t, ids)
	r.objects += len(ids)
	r.damaged += strings.Count(r.log.String(), isDamaged)
	r.read(t)
}

// fullDisk kills an agent that has no room on the disk any more: it removes what is delivered, and what it has in
// memory only is delivered from there, or goes with it.
func (r *killing) fullDisk(t *testing.T) {
	t.Helper()
	r.start(t)
	r.waitForSnapshots(t, 1)
	filler := filepath.Join(r.store, "filler")
	f, err := os.Create(filler)
	for block := make([]byte, 1<<20); err == nil; {
		_, err = f.Write(block)
	}
	f.Close()
	r.kill(t)
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	r.kept[fmt.Sprint("delivered with a full disk ", len(r.kept))] = r.to.forget()
}

// corrupt overwrites a part of a snapshot that is not delivered yet, since the receiver was away.
func (r *killing) corrupt(t *testing.T) {
	t.Helper()
	r.to.set(refusing)
	r.start(t)
	r.waitForSnapshots(t, 3)
	r.kill(t)
	files, _ := filepath.Glob(filepath.Join(r.store, "*.otlp"))
	name := files[len(files)-2]
	content, err := os.ReadFile(name)
	if err == nil {
		copy(content[len(content)/2:], "overwritten")
		err = os.WriteFile(name, content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	r.kept[name] = map[taking]bool{}
	r.corrupted++
	r.to.set(acknowledging)
	r.start(t)
	r.kill(t)
}

// waitForSnapshots waits until there are so many more snapshots.
func (r *killing) waitForSnapshots(t *testing.T, more int) {
	t.Helper()
	newest := func() string {
		files, _ := filepath.Glob(filepath.Join(r.store, "*.otlp"))
		if len(files) == 0 {
			return ""
		}
		return files[len(files)-1]
	}
	for range more {
		before := newest()
		for end := time.Now().Add(time.Minute); newest() == before; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("no further snapshot\n%s", &r.log)
			}
		}
	}
}

// read reads what is new in the store.
func (r *killing) read(t *testing.T) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(r.store, "*.otlp"))
	for _, name := range files {
		if r.kept[name] != nil {
			continue
		}
		r.kept[name] = map[taking]bool{}
		for _, row := range readStored(t, name).Rows {
			r.kept[name][taking{int64(row.TID), row.Time}] = true
		}
	}
}
