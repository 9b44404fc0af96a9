package process

import (
	"encoding/binary"
	"os"
	"regexp"
	"testing"

	"github.com/hotspan/hotspan/agent/internal/elffile"
	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/nodes/live"
	"github.com/hotspan/hotspan/v8/layout"
)

// Lines by which V8 reports that it has collected the heap, or the part of it that is for new objects.
var (
	markCompact = regexp.MustCompile(`(?m)^\[.*\bMark-([Cc]ompact|sweep)`)
	scavenge    = regexp.MustCompile(`(?m)^\[.*\bScavenge`)
)

// TestMSCount: the count of mark-compacts is V8's own, of which --trace-gc has a line each.
func TestMSCount(t *testing.T) {
	for _, v := range nodes.Versions() {
		t.Run(v.Version, func(t *testing.T) {
			t.TempDir() // goes after what follows
			var p *live.Process
			var count uint32
			t.Cleanup(func() { // when the process has ended, and written all
				said, err := os.ReadFile(p.Stdout)
				if err != nil {
					t.Fatal(err)
				}
				full, part := len(markCompact.FindAll(said, -1)), len(scavenge.FindAll(said, -1))
				if int(count) != full || full < 3 || part < 3 {
					t.Errorf("%d mark-compacts, V8 reports %d, and %d scavenges", count, full, part)
				}
			})
			p = live.Start(t, v.Version, "--expose-gc", "--trace-gc", "-e", `
				for (let i = 0, kept = []; i < 4e6; i++) kept[i % 1000] = { i }
				for (let i = 0; i < 3; i++) gc()
				process.stdin.on('end', process.exit).resume()
				console.error('ready')`)
			count = compactions(t, p.PID)
		})
	}
}

func compactions(t *testing.T, pid int) uint32 {
	t.Helper()
	p, err := Open(pid, elffile.NewLayoutCache())
	if err != nil {
		t.Fatal(err)
	}
	isolate, err := p.MainIsolate()
	if err != nil || !p.Layout.Has(layout.HeapMSCount) {
		t.Fatalf("%v, or the layout lacks the count", err)
	}
	b, err := p.Heap().Bytes(isolate+uint64(p.Layout.At(layout.IsolateHeap)+p.Layout.At(layout.HeapMSCount)), 4)
	if err != nil {
		t.Fatal(err)
	}
	return binary.LittleEndian.Uint32(b)
}
