package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/hotspan/hotspan/test/truth/trial"
)

// closing matches the first line that hotspan prints at its end.
var closing = regexp.MustCompile(`(\d+) samples taken in [0-9.]+ s = (\d+) written \+ (\d+) lost`)

// taken parses the closing line.
func taken(t *testing.T, stderr string) (taken, written, lost int) {
	t.Helper()
	m := closing.FindStringSubmatch(stderr)
	if m == nil {
		t.Fatalf("no closing line in %q", stderr)
	}
	var n [3]int
	for i := range n {
		n[i], _ = strconv.Atoi(m[i+1])
	}
	return n[0], n[1], n[2]
}

// recordSnapshots records functions.js at 1,999 Hz for so many seconds, or longer if that gives too few samples, in
// snapshots of 100 ms, which are in the folder that it returns.
func recordSnapshots(t *testing.T, enough, seconds int, name string) (r trial.Result, dir string) {
	t.Helper()
	p := start(t, node24(t), "functions.js", []string{"--expose-gc"}, []string{"DURATION_MS=600000"})
	untilEnough(t, func(times int) bool {
		dir = t.TempDir()
		r = run(t, "record", "-p", strconv.Itoa(p.PID), "-F", "1999", "-d", fmt.Sprint(seconds*times, "s"),
			"--snapshot-every", "100ms", "-o", filepath.Join(dir, name))
		_, written, _ := taken(t, r.Stderr)
		return written >= enough
	})
	return r, dir
}

// TestSnapshots: at 1,999 Hz, snapshots of 100 ms follow each other without a gap, and each sample is in exactly one.
func TestSnapshots(t *testing.T) {
	t.Parallel()
	const enough = 5000
	r, dir := recordSnapshots(t, enough, 6, "cpu-%n.pb.gz")
	t.Logf("%s", r.Stderr)
	files, _ := filepath.Glob(filepath.Join(dir, "cpu-*.pb.gz"))
	slices.Sort(files)
	if r.Code != 0 || len(files) < 50 {
		t.Fatalf("exit code %d, %d snapshots, want at least 50", r.Code, len(files))
	}
	sum, end := 0, int64(0)
	for i, f := range files {
		s := readProfile(t, f)
		if i > 0 && s.TimeNanos != end {
			t.Errorf("%s begins at %d, the one before ended at %d", f, s.TimeNanos, end)
		}
		end = s.TimeNanos + s.DurationNanos
		sum += samplesOf(s)
	}
	all, written, lost := taken(t, r.Stderr)
	if sum != written || all != written+lost || written < enough {
		t.Errorf("%d samples in %d snapshots; closing line says %d taken, %d written, %d lost", sum, len(files), all,
			written, lost)
	}
}

// TestSnapshotTimes: each sample of a snapshot is in its interval, and no sample is in two.
func TestSnapshotTimes(t *testing.T) {
	t.Parallel()
	const enough = 3000
	r, dir := recordSnapshots(t, enough, 3, "cpu-%n.jsonl")
	files, _ := filepath.Glob(filepath.Join(dir, "cpu-*.jsonl"))
	slices.Sort(files)
	seen, last, sum := map[string]bool{}, int64(0), 0
	for _, f := range files {
		samples := readSamples(t, f)
		for _, s := range samples {
			key := fmt.Sprint(s.TID, s.T)
			if seen[key] || s.T < last {
				t.Errorf("%s: sample at %d of thread %d is in two snapshots or before the last one's end", f, s.T,
					s.TID)
			}
			seen[key] = true
		}
		if n := len(samples); n > 0 {
			last = samples[n-1].T
		}
		sum += len(samples)
	}
	if _, written, _ := taken(t, r.Stderr); sum != written || written < enough {
		t.Errorf("%d samples in %d files, closing line says %d", sum, len(files), written)
	}
}

func readProfile(t *testing.T, file string) *profile.Profile {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := profile.Parse(f)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if err := p.CheckValid(); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return p
}

// samplesOf sums the values of the type samples/count.
func samplesOf(p *profile.Profile) int {
	at := slices.IndexFunc(p.SampleType, func(v *profile.ValueType) bool { return v.Type == "samples" })
	n := 0
	for _, s := range p.Sample {
		n += int(s.Value[at])
	}
	return n
}
