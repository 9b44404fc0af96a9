package large

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/hotspan/hotspan/otlp"
	"github.com/hotspan/hotspan/pprofx"
)

// write writes a recording as a file that hotspan reads.
func write(b *testing.B, name string, l Recording) string {
	b.Helper()
	f, err := os.Create(filepath.Join(b.TempDir(), name))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	var w pprofx.Writer
	switch filepath.Ext(name) {
	case ".otlp":
		w = otlp.NewWriter(f, otlp.Agent{})
	case ".jsonl":
		w, err = pprofx.NewWriter(f, pprofx.JSONL)
	default:
		w, err = pprofx.NewWriter(f, pprofx.Pprof)
	}
	if err == nil {
		err = l.Each(w.Add)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		b.Fatal(err)
	}
	return f.Name()
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

// BenchmarkReport prints what hotspan report takes of a million samples in each format, and what go tool pprof -top
// takes of them, by turns: seconds, megabytes, and how many times as long hotspan takes.
func BenchmarkReport(b *testing.B) {
	hotspan := filepath.Join(b.TempDir(), "hotspan")
	if out, err := exec.Command("go", "build", "-o", hotspan, "../..").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	pprof := write(b, "large.pb.gz", Million)
	for _, name := range []string{"large.pb.gz", "large.otlp", "large.jsonl"} {
		b.Run(filepath.Ext(name)[1:], func(b *testing.B) {
			file := pprof
			if name != "large.pb.gz" {
				file = write(b, name, Million)
			}
			top := func() use { return run(b, "go", "tool", "pprof", "-top", pprof) }
			top() // go builds it once
			var ours, theirs []use
			for b.Loop() {
				ours = append(ours, run(b, hotspan, "report", file))
				theirs = append(theirs, top())
			}
			wall, cpu, mb := func(u use) float64 { return u.wall }, func(u use) float64 { return u.cpu },
				func(u use) float64 { return u.mb }
			b.ReportMetric(median(ours, wall), "s")
			b.ReportMetric(median(ours, cpu), "cpu-s")
			b.ReportMetric(median(ours, mb), "MB")
			b.ReportMetric(median(theirs, wall), "pprof-s")
			b.ReportMetric(median(theirs, mb), "pprof-MB")
			b.ReportMetric(median(ours, wall)/median(theirs, wall), "times-pprof")
			b.ReportMetric(0, "ns/op")
		})
	}
}
