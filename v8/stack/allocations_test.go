package stack

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// allocations is code of TurboFan of Node 16.20.2 with its table of positions, as V8 printed them (--print-opt-code),
// of
//
//	function help(m) { let x = m, list = [];
//	  for (let i = 0; i < m; i++) { list.push({ i, x }); x = (x + list.length) | 0; if (list.length > 99) list = []; }
//	  return x; }
//	function work(n, m) { … the same with n …; x ^= help(m); return x; }
//
// help, whose text is that from 84 to 254, is inlined into work.
const allocations = "testdata/v9.4-allocations.txt"

const codeAt = 0x10000

type codeBytes struct{ b []byte }

func (m codeBytes) ReadAt(p []byte, off int64) (int, error) {
	return bytes.NewReader(m.b).ReadAt(p, off-codeAt)
}

func readAllocations(t *testing.T) (code []byte, p heap.Positions) {
	t.Helper()
	text, err := os.ReadFile(allocations)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "code "); ok {
			if code, err = hex.DecodeString(strings.TrimSpace(rest)); err != nil {
				t.Fatal(err)
			}
			continue
		}
		var e heap.Position
		if _, err := fmt.Sscanf(line, "position %d %d", &e.Code, &e.Source); err != nil {
			t.Fatal(err)
		}
		p = append(p, e)
	}
	return code, p
}

// TestAllocations: each call of the collector is in the function that its block jumps back into, by the disassembly.
func TestAllocations(t *testing.T) {
	b, p := readAllocations(t)
	v := NewResolver(heap.NewReader(codeBytes{b}, &layout.Layout{}), fakeSpace{})
	c := &code{Code: &heap.Code{Start: codeAt, End: codeAt + uint64(len(b))}, tier: TurboFan,
		optimized: &heap.Optimized{Positions: p}}
	for ret, inHelp := range map[int]bool{ // 0x6aa and 0x5ca have an entry of another block before them
		0x4c7: false, 0x506: false, 0x574: false, 0x5ca: false, 0x620: false, 0x657: false,
		0x6aa: true, 0x717: true, 0x76f: true, 0x7c7: true, 0x823: true, 0x850: false,
	} {
		e, _ := p.At(v.positionOffset(c, ret-1))
		if got := e.Source >= 84 && e.Source < 254; got != inHelp {
			t.Errorf("call that returns to %#x: source %d, in help: %v, want %v", ret, e.Source, got, inHelp)
		}
	}
}
