package e2e

import (
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/draw"
)

// TestPausedBuild: a build that pauses between the script and its map leaves those of two builds beside each other for
// longer than hotspan waits before it reads. Once the second is written, no name is from the map of the other build.
// Where a whole build comes later, the map of what runs is still used.
func TestPausedBuild(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	for _, c := range []struct {
		name   string
		before string // that the build has written when the service starts, after a whole build 1
		pause  time.Duration
		after  []string
		want   string // the function
	}{
		{"the script comes first", "x.js 2", 4 * time.Second, []string{"x.js.map 2"}, "build2"},
		{"the map comes first", "x.js.map 2", 4 * time.Second, []string{"x.js 2"}, "e"},
		{"the script comes long before", "x.js 2", 14 * time.Second, []string{"x.js.map 2"}, "build2"},
		{"the map comes long before", "x.js.map 2", 14 * time.Second, []string{"x.js 2"}, "e"},
		{"built again", "", 8 * time.Second, []string{"x.js.map 2", "x.js 2"}, "build1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			writeBuild(t, dir, "x.js 1")
			writeBuild(t, dir, "x.js.map 1")
			if c.before != "" {
				time.Sleep(3 * time.Second) // more than what is of one build
				writeBuild(t, dir, c.before)
			}
			written := time.Now()
			pid := runBuild(t, dir)
			out := filepath.Join(dir, "out.jsonl")
			r := exec.Command(hotspan, "record", "-p", strconv.Itoa(pid), "-d", (c.pause + 10*time.Second).String(),
				"-o", out)
			log := new(buffer)
			r.Stderr = log
			if err := r.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { r.Process.Kill() })
			time.Sleep(time.Until(written.Add(c.pause)))
			for _, file := range c.after {
				writeBuild(t, dir, file)
			}
			if err := r.Wait(); err != nil {
				t.Fatalf("%v: %s", err, log)
			}
			names := buildNames(readSamples(t, out), dir)
			if names[c.want] < 100 || len(names) != 1 {
				t.Errorf("%v, want %s: %s", names, c.want, log)
			}
			if said := strings.Contains(log.String(), "not the one in its file now"); said != (c.want == "e") {
				t.Errorf("a map is not used: %v: %s", said, log)
			}
		})
	}
}
