package dump

import (
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/hotspan/hotspan/agent/internal/inspect"
	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/nodes/live"
	"github.com/hotspan/hotspan/v8/target/core"
)

// TestCorruptedValues: of objects with words changed at random, such as their lengths, types and pointers, there are
// texts, in bounded time and memory.
func TestCorruptedValues(t *testing.T) {
	live.NeedCores(t)
	script, err := filepath.Abs("../../../test/inspect/testdata/values.js")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []nodes.Version{nodes.Versions()[0], nodes.Versions()[len(nodes.Versions())-1]} {
		t.Run(v.Version, func(t *testing.T) {
			file, err := os.Open(live.Core(t, v.Version, "--abort-on-uncaught-exception", script,
				filepath.Join(t.TempDir(), "truth")))
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			info, err := file.Stat()
			if err != nil {
				t.Fatal(err)
			}
			whole, err := core.Open(file, info.Size())
			if err != nil {
				t.Fatal(err)
			}
			values := valuesIn(t, whole)
			good := open(t, whole)
			bad := &corrupted{ReaderAt: file, size: info.Size()}
			c, err := core.Open(bad, bad.size)
			if err != nil {
				t.Fatal(err)
			}
			different := 0
			for batch := range uint64(25) {
				bad.changes = map[int64]byte{}
				subject := open(t, c) // anew: a subject keeps what it has read of a core
				random := rand.New(rand.NewPCG(2, batch))
				objects := random.Perm(len(values))[:40]
				for _, i := range objects {
					maps.Copy(bad.changes, changed(t, whole, values[i], random))
				}
				for _, i := range objects {
					text, err := good.Print(values[i], 4, true)
					if err != nil {
						t.Fatalf("0x%x: %v", values[i], err)
					}
					if printBounded(t, subject, values[i], batch) != text {
						different++
					}
				}
			}
			t.Logf("of 1,000 corruptions %d changed what is printed", different)
			if different < 200 {
				t.Errorf("of 1,000 corruptions %d changed what is printed: the test is of something else", different)
			}
		})
	}
}

// open opens a core to look into it.
func open(t *testing.T, c *core.Core) *inspect.Subject {
	t.Helper()
	s, err := inspect.OpenCore(c, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// valuesIn are the addresses of the values that the program has.
func valuesIn(t *testing.T, c *core.Core) (out []uint64) {
	t.Helper()
	config := Config{Log: slog.New(slog.DiscardHandler), Rules: reqctx.AllKinds.Rules(nil), Arguments: true}
	d, _, err := OfCore(c, "", config)
	if err != nil {
		t.Fatal(err)
	}
	for _, th := range d.Threads {
		for _, call := range th.Arguments {
			if len(call.Values) == 2 && call.Values[0].Address != 0 {
				out = append(out, call.Values[0].Address)
			}
		}
	}
	if len(out) < 100 {
		t.Fatalf("%d values", len(out))
	}
	return out
}

// changed are bytes of a few words of an object, and of objects around it.
func changed(t *testing.T, c *core.Core, object uint64, random *rand.Rand) map[int64]byte {
	t.Helper()
	out := map[int64]byte{}
	for range 1 + random.IntN(4) {
		at := object - 1 + uint64(8*random.IntN(32))
		for _, m := range c.Mappings {
			if m.Start > at || at >= m.End {
				continue
			}
			offset := m.FileOffset(at)
			switch n := random.IntN(4); n {
			case 0: // another object, as one that is near
				near := object + uint64(8*random.IntN(64))
				for i := range int64(8) {
					out[offset+i] = byte(near >> (8 * i))
				}
			case 1: // a large number
				for i := range int64(4) {
					out[offset+4+i] = byte(random.Uint32())
				}
			default:
				out[offset+int64(random.IntN(8))] = byte(random.Uint32())
			}
		}
	}
	return out
}

// printBounded prints a value within what a value may take.
func printBounded(t *testing.T, subject *inspect.Subject, at, batch uint64) string {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := time.Now()
	text, err := subject.Print(at, 4, true)
	runtime.ReadMemStats(&after)
	took, memory := time.Since(began), after.TotalAlloc-before.TotalAlloc
	if took > 20*time.Second || memory > 512<<20 {
		t.Errorf("batch %d, 0x%x: %v, %d bytes", batch, at, took, memory)
	}
	if err != nil && !strings.Contains(err.Error(), " ") {
		t.Errorf("batch %d, 0x%x: %v", batch, at, err)
	}
	return text
}
