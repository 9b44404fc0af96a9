package dump

import (
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/hotspan/hotspan/agent/internal/walk"
	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/nodes/live"
	"github.com/hotspan/hotspan/v8/target/core"
)

// corrupted is a file with some bytes changed, and cut off.
type corrupted struct {
	io.ReaderAt
	size    int64
	changes map[int64]byte
}

func (c *corrupted) ReadAt(p []byte, off int64) (int, error) {
	if off >= c.size {
		return 0, io.EOF
	}
	whole := len(p)
	p = p[:min(int64(len(p)), c.size-off)]
	n, err := c.ReaderAt.ReadAt(p, off)
	for at, b := range c.changes {
		if at >= off && at < off+int64(n) {
			p[at-off] = b
		}
	}
	if err == nil && n < whole {
		err = io.EOF
	}
	return n, err
}

// corrupt changes up to a hundred bytes, most of them where headers, notes and the stack of the dead thread are.
func corrupt(of *os.File, size int64, headers int64, stack int64, random *rand.Rand) *corrupted {
	c := &corrupted{of, size, map[int64]byte{}}
	for range 1 + random.IntN(100) {
		at := random.Int64N(size)
		switch random.IntN(4) {
		case 0, 1:
			at = random.Int64N(headers)
		case 2:
			at = stack + random.Int64N(8192)
		}
		c.changes[at] = byte(random.Uint32())
	}
	if random.IntN(8) == 0 {
		c.size = random.Int64N(size)
	}
	return c
}

// TestCorrupted: of a core with bytes changed at random there are stacks, or an error that says what is wrong, in
// bounded time and memory.
func TestCorrupted(t *testing.T) {
	live.NeedCores(t)
	list := nodes.Versions()
	script, err := filepath.Abs("../../../test/inspect/testdata/crash.js")
	if err != nil {
		t.Fatal(err)
	}
	v := list[len(list)-1]
	file, err := os.Open(live.Core(t, v.Version, live.Natives(v, script, t.TempDir(), "abort")...))
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
	headers, stack := placesIn(t, whole)
	config := Config{Log: slog.New(slog.DiscardHandler), Rules: reqctx.AllKinds.Rules(nil), Arguments: true}
	code := walk.NewCode()
	files := config.files(code)
	defer files.Close()
	opened, shown := 0, 0
	var before, after runtime.MemStats
	var seeds []uint64
	for seed := range uint64(1000) {
		seeds = append(seeds, seed)
	}
	seeds = draw.Share(seeds, 4, t.Name())
	for _, seed := range seeds {
		runtime.ReadMemStats(&before)
		began := time.Now()
		bad := corrupt(file, info.Size(), headers, stack, rand.New(rand.NewPCG(1, seed)))
		c, err := core.Open(bad, bad.size)
		if err == nil {
			opened++
			var d *Dump
			if d, _, err = ofCore(c, "", config, files, code); err == nil && len(d.Threads) > 0 {
				shown++
			}
		}
		if err != nil && (!strings.Contains(err.Error(), " ") || strings.Contains(err.Error(), "runtime error")) {
			t.Errorf("seed %d: %v", seed, err)
		}
		runtime.ReadMemStats(&after)
		took, memory := time.Since(began), after.TotalAlloc-before.TotalAlloc
		if seed != seeds[0] && (took > 20*time.Second || memory > 512<<20) {
			t.Errorf("seed %d: %v, %d bytes", seed, took, memory)
		}
	}
	t.Logf("of %d corruptions %d could be opened and %d shown", len(seeds), opened, shown)
	if opened < len(seeds)/10 || shown < len(seeds)/20 || shown == len(seeds) {
		t.Errorf("of %d corruptions %d opened and %d shown: the test is of something else", len(seeds), opened, shown)
	}
}

// placesIn is where the memory begins in the file of a core, and the stack of the first thread.
func placesIn(t *testing.T, c *core.Core) (headers, stack int64) {
	t.Helper()
	headers = 64 << 10
	const sp = 7
	at := c.Threads[0].Registers.General[sp]
	for _, m := range c.Mappings {
		if m.Start <= at && at < m.End {
			return headers, m.FileOffset(at)
		}
	}
	t.Fatal("the first thread has no stack")
	return 0, 0
}
