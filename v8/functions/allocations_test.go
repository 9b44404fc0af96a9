package functions

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/arch/x86/x86asm"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/optimized"
	"github.com/hotspan/hotspan/v8/x86"
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

// readCode reads code of TurboFan with its table of positions.
func readCode(t *testing.T, file string) (text []byte, c *code) {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var p heap.Positions
	for line := range strings.Lines(string(content)) {
		if rest, ok := strings.CutPrefix(line, "code "); ok {
			if text, err = hex.DecodeString(strings.TrimSpace(rest)); err != nil {
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
	return text, &code{Code: &heap.Code{Start: codeAt, End: codeAt + uint64(len(text))}, tier: TurboFan,
		tables: tables{optimized: &optimized.Tables{Positions: p}}}
}

// TestAllocations: each call of the collector is in the function that its block jumps back into, by the disassembly.
func TestAllocations(t *testing.T) {
	b, c := readCode(t, allocations)
	v := NewResolver(heap.NewReader(codeBytes{b}, &layout.Layout{}), fakeSpace{})
	for ret, inHelp := range map[int]bool{ // 0x6aa and 0x5ca have an entry of another block before them
		0x4c7: false, 0x506: false, 0x574: false, 0x5ca: false, 0x620: false, 0x657: false,
		0x6aa: true, 0x717: true, 0x76f: true, 0x7c7: true, 0x823: true, 0x850: false,
	} {
		offset, ok := v.positionOffset(c, ret-1, ret)
		e, _ := c.optimized.Positions.At(offset)
		if got := e.Source >= 84 && e.Source < 254; !ok || got != inHelp {
			t.Errorf("call that returns to %#x: source %d, in help: %v, want %v", ret, e.Source, got, inHelp)
		}
	}
}

// coverage is code of TurboFan of Node 18.20.8, in the same form, of a function of test/programs/functions.js with
// MODE=alloc and NODE_V8_COVERAGE. All that returns in it is deferred code, behind the blocks that allocate. The
// function's text begins at 35832; what is before that is of functions that are inlined.
const coverage = "testdata/v10.2-coverage.txt"

// TestAllocationsBeforeReturn: each call of the collector is in the function that its block is jumped to from, and
// jumps back into, by the disassembly.
func TestAllocationsBeforeReturn(t *testing.T) {
	b, c := readCode(t, coverage)
	for major, moves := range map[int]bool{10: true, 11: false} { // V8 11 gives such blocks positions
		v := NewResolver(heap.NewReader(codeBytes{b}, &layout.Layout{V8: layout.Version{Major: major}}), fakeSpace{})
		for ret, back := range map[int]int{
			0x1328: 0x183, 0x13be: 0x292, 0x1486: 0x655, 0x14bf: 0x7c9, 0x14de: 0x8c2, 0x150f: 0x93d, 0x1548: 0x9d9,
			0x1634: 0xecf,
		} {
			own := back < 0x655
			offset, ok := v.positionOffset(c, ret-1, ret)
			e, _ := c.optimized.Positions.At(offset)
			if !ok || moves && (offset != back || own != (e.Source >= 35832)) || !moves && offset != ret-1 {
				t.Errorf("V8 %d, call that returns to %#x: %#x, source %d, %v", major, ret, offset, e.Source, ok)
			}
		}
	}
}

// truncation is code of TurboFan of Node 16.20.2, in the same form, of
//
//	function lcg(n) { let x = n; for (let i = 0; i < n; i++) { x = (x * 1664525 + i) | 0; } return x; }
//	function work(n) { …; a += lcg(n); for (let i = 0; i < n; i++) a = a * 0.999 + i; return a; }
//
// lcg, whose text ends at 100, is inlined into work. Large doubles are made integers out of line.
const truncation = "testdata/v9.4-truncation.txt"

// TestOutOfLine: each instruction out of line is in the function that its block jumps back into, by the disassembly.
func TestOutOfLine(t *testing.T) {
	b, c := readCode(t, truncation)
	v := NewResolver(heap.NewReader(codeBytes{b}, &layout.Layout{}), fakeSpace{})
	n := 0
	for at := 0x4f8; at < 0x55d; n++ { // what is from 0x51a on jumps to 0x171 and 0xf4
		in, err := x86.Decode(b[at:])
		if err != nil {
			t.Fatal(err)
		}
		offset, ok := v.positionOffset(c, at, at)
		if in.Op == x86asm.CALL {
			offset, ok = v.positionOffset(c, at+in.Len-1, at+in.Len)
		}
		e, _ := c.optimized.Positions.At(offset)
		if inlined := e.Source < 100; !ok || inlined != (at >= 0x51a) {
			t.Errorf("%v at %#x: source %d, %v", in, at, e.Source, ok)
		}
		at += in.Len
	}
	if n != 21 {
		t.Errorf("%d instructions", n)
	}
}

// calls is code of TurboFan of Node 24.21.0, in the same form, of function work of test/programs/recompiled.js: each
// call in it has an entry of its own.
const calls = "testdata/v13.6-calls.txt"

// TestCallDistance: how far away a called builtin is says nothing of the call, though those bytes could be a jump.
func TestCallDistance(t *testing.T) {
	b, c := readCode(t, calls)
	v := NewResolver(heap.NewReader(codeBytes{b}, &layout.Layout{}), fakeSpace{})
	n := 0
	for at := 0; at < len(b); {
		in, err := x86.Decode(b[at:])
		if err != nil {
			at++
			continue
		}
		at += in.Len
		if in.Op != x86asm.CALL || in.Len != 5 {
			continue
		}
		n++
		entry, _ := c.optimized.Positions.At(at - 1)
		for _, distance := range []uint32{binary.LittleEndian.Uint32(b[at-4:]), 0x1fe261ff, 0x10eb, 0xc3c3c3} {
			binary.LittleEndian.PutUint32(b[at-4:], distance)
			offset, ok := v.positionOffset(c, at-1, at)
			if got, _ := c.optimized.Positions.At(offset); !ok || got != entry {
				t.Errorf("call %#x on, returns to %#x: at %d, want %d", distance, at, got.Source, entry.Source)
			}
		}
	}
	if n < 50 {
		t.Fatalf("%d calls", n)
	}
}
