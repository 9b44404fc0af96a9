package large

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// write writes a recording as a file that hotspan reads, by the command that writes them.
func write(b *testing.B, command, name string, l Recording) string {
	b.Helper()
	file := filepath.Join(b.TempDir(), name)
	var args []string
	for _, n := range []int{l.Samples, l.Stacks, l.Requests} {
		args = append(args, strconv.Itoa(n))
	}
	run(b, command, append(args, file)...)
	return file
}

// use is what a command has used.
type use struct{ wall, cpu, mb float64 } // seconds, and MB of memory at most

func run(b *testing.B, name string, args ...string) use {
	b.Helper()
	c := exec.Command(name, args...)
	began := time.Now()
	if out, err := c.CombinedOutput(); err != nil {
		b.Fatalf("%v: %v: %.1000s", c, err, out)
	}
	took := time.Since(began)
	usage := c.ProcessState.SysUsage().(*syscall.Rusage)
	return use{
		wall: took.Seconds(), mb: float64(usage.Maxrss) * 1024 / 1e6,
		cpu: (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds(),
	}
}

func median(list []use, of func(use) float64) float64 {
	var values []float64
	for _, u := range list {
		values = append(values, of(u))
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// pprofTop is what go tool pprof -top takes of a file. It runs the tool itself: that go builds it is not in there.
func pprofTop(b *testing.B, file string) use {
	b.Helper()
	tool, err := exec.Command("go", "tool", "-n", "pprof").Output()
	if err != nil {
		b.Fatal(err)
	}
	return run(b, strings.TrimSpace(string(tool)), "-top", file)
}

// BenchmarkReport prints what hotspan report takes of a million samples, and how that compares with what go tool pprof
// -top takes of them, which runs once, as it takes longer than all else together: seconds, of CPU time too, and
// megabytes. Times are compared by CPU time, since others may use the machine. As JSON lines a million samples are 3.6
// GB: of these it is a tenth.
func BenchmarkReport(b *testing.B) {
	dir := b.TempDir()
	if out, err := exec.Command("go", "build", "-o", dir+"/", "../..", "./write").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	hotspan, writer := filepath.Join(dir, "hotspan"), filepath.Join(dir, "write")
	tenth := Recording{Samples: Million.Samples / 10, Stacks: Million.Stacks / 10, Requests: Million.Requests / 10}
	var theirs use
	for _, f := range []struct {
		name string
		of   Recording
	}{{"million.pb.gz", Million}, {"million.otlp", Million}, {"tenth.jsonl", tenth}} {
		file := write(b, writer, f.name, f.of)
		if theirs.cpu == 0 {
			theirs = pprofTop(b, file)
			b.Logf("pprof -top: %.1f s, %.1f s of CPU, %.0f MB", theirs.wall, theirs.cpu, theirs.mb)
		}
		b.Run(f.name, func(b *testing.B) {
			ours := reports(b, hotspan, file)
			if f.of == Million {
				b.ReportMetric(ours/theirs.cpu, "times-pprof")
			}
		})
	}
}

// reports prints what reports of a file take, and returns their CPU time in seconds.
func reports(b *testing.B, hotspan, file string) float64 {
	b.Helper()
	info, err := os.Stat(file)
	if err != nil {
		b.Fatal(err)
	}
	var ours []use
	for b.Loop() {
		ours = append(ours, run(b, hotspan, "report", file))
	}
	cpu := median(ours, func(u use) float64 { return u.cpu })
	b.ReportMetric(float64(info.Size())/1e6, "file-MB")
	b.ReportMetric(median(ours, func(u use) float64 { return u.wall }), "s")
	b.ReportMetric(cpu, "cpu-s")
	b.ReportMetric(median(ours, func(u use) float64 { return u.mb }), "MB")
	b.ReportMetric(0, "ns/op")
	return cpu
}
