package elffile

import (
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/nodes/live"
)

// BenchmarkLoad reads a Node.js that is on disk as parsed (warm), a copy of one that was read before, and compares both
// with parsing it (cold) in the same run. heap-B is what stays on the heap for it.
func BenchmarkLoad(b *testing.B) {
	path := live.Binary(b, "24.21.0")
	directory := filepath.Join(b.TempDir(), "files")
	var total [3]time.Duration
	var heap [3]uint64
	names := [3]string{"cold", "warm", "copy"}
	for b.Loop() {
		total[0] += timed(b, NewCache(nil), path, &heap[0])
		warm := NewCache(nil)
		if err := warm.KeepIn(directory, slog.New(slog.DiscardHandler)); err != nil {
			b.Fatal(err)
		}
		if b.Elapsed() == 0 || len(warm.dir.Names("")) == 0 {
			timed(b, warm, path, nil)
			warm.writes.Wait()
			warm = NewCache(nil)
			if err := warm.KeepIn(directory, slog.New(slog.DiscardHandler)); err != nil {
				b.Fatal(err)
			}
		}
		total[1] += timed(b, warm, path, &heap[1])
		total[2] += timed(b, warm, path, &heap[2])
	}
	for i, name := range names {
		b.ReportMetric(float64(total[i].Milliseconds())/float64(b.N), name+"-ms")
		b.ReportMetric(float64(heap[i]), name+"-heap-B")
	}
	b.ReportMetric(float64(total[1])/float64(total[0]), "warm/cold")
	b.ReportMetric(float64(total[2])/float64(total[0]), "copy/cold")
}

// timed loads a file and returns how long it took, and how much of the heap stays.
func timed(b *testing.B, c *Cache, path string, heap *uint64) time.Duration {
	f, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := time.Now()
	out := c.load(f)
	took := time.Since(start)
	runtime.GC()
	runtime.ReadMemStats(&after)
	if heap != nil {
		*heap = max(after.HeapAlloc, before.HeapAlloc) - before.HeapAlloc
	}
	if out.symbols == nil || out.rules == nil || out.layout == nil {
		b.Fatal(out.problems)
	}
	return took
}
