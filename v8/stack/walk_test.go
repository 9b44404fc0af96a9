package stack

import (
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/target"
)

// A process by hand: where it has code, its stack, its isolate, and what is on its heap.
const (
	v8Code     = 0x10_0000
	nativeCode = 0x20_0000 // with a frame pointer's rule
	bareCode   = 0x30_0000 // without rules
	signalCode = 0x40_0000 // the restorer of signal handlers
	rootCode   = 0x50_0000
	codeSize   = 0x1_0000
	stackBase  = 0x7ff_0000
	isolateAt  = 0x600_0000
	entryFP    = 0x140 // of the isolate
	functionAt = 0x700_0001
	sfiAt      = 0x700_0101
	scriptAt   = 0x700_0201
	scriptMap  = 0x700_0301
)

func walkLayout() *layout.Layout {
	l := &layout.Layout{}
	for f, n := range map[layout.Field]int64{
		layout.IsolateCEntryFP: entryFP, layout.JSFunctionShared: 32, layout.SFIScript: 40,
		layout.SFIFunctionLiteralID: 60,
		layout.ScriptID:             64, layout.MapInstanceType: 12, layout.TypeScript: 167,
	} {
		l.Values[f] = layout.Value{N: n, State: layout.Known}
	}
	return l
}

// wordMemory is memory of words, by address.
type wordMemory map[uint64]uint64

func (m wordMemory) ReadAt(p []byte, off int64) (int, error) {
	for n := range p {
		at := uint64(off) + uint64(n)
		w, ok := m[at&^7]
		if !ok {
			return n, io.ErrUnexpectedEOF
		}
		p[n] = byte(w >> (at & 7 * 8))
	}
	return len(p), nil
}

// frame puts a frame there: the caller's frame pointer and the return address, V8's slots below them, and arguments
// above. One with a type marker has nothing in the function's slot.
func (m wordMemory) frame(fp, caller, ret, context uint64) {
	m[fp], m[fp+8] = caller, ret
	m[fp-8], m[fp-16], m[fp-24], m[fp-32], m[fp-40] = context, functionAt, 3, 0xb1, 77<<32
	m[fp+16], m[fp+24], m[fp+32], m[fp+40] = 0, 0, 0, 0
	if !tagged(context) {
		m[fp-16] = 0
	}
}

// heapOf is the memory of one function and its script, number 5.
func heapOf() wordMemory {
	m := wordMemory{isolateAt + entryFP: 0}
	for at := uint64(0x700_0000); at < 0x700_0400; at += 8 {
		m[at] = 0x99
	}
	m[functionAt-1+32] = sfiAt
	m[sfiAt-1+40], m[sfiAt-1+56] = scriptAt, 9<<32
	m[scriptAt-1], m[scriptAt-1+64] = scriptMap, 5<<32
	m[scriptMap-1+8] = 167 << 32
	return m
}

type handCode struct{}

func (handCode) Code(pc uint64) Code {
	switch {
	case pc < v8Code || pc >= rootCode+codeSize || pc&0xf_ffff >= codeSize:
		return NoCode
	case pc < nativeCode:
		return V8Code
	}
	return NativeCode
}

func (handCode) Step(at uint64, from Position, mem io.ReaderAt) (to Position, err error) {
	var b [16]byte
	read := func(at uint64) { _, err = mem.ReadAt(b[:], int64(at)) }
	switch at &^ 0xf_ffff {
	case bareCode:
		return from, ErrNoRule
	case rootCode:
		return from, ErrRoot
	case signalCode:
		read(from.SP + 8)
		return Position{PC: nativeCode + 0x99, SP: binary.LittleEndian.Uint64(b[:]),
			BP: binary.LittleEndian.Uint64(b[8:]), Exact: true}, err
	}
	read(from.BP)
	return Position{PC: binary.LittleEndian.Uint64(b[8:]), SP: from.BP + 16, BP: binary.LittleEndian.Uint64(b[:])}, err
}

const (
	fp1, fp2, fp3, fp4 = stackBase + 0x100, stackBase + 0x200, stackBase + 0x300, stackBase + 0x400
	marked             = 0x24 // a type marker: 0x12
	context            = 0x700_0009
)

// js, builtin and other are frames as a walk finds them.
func js(pc uint64) WalkFrame {
	f := other(FrameFunction, pc)
	f.SFI, f.Bytecode, f.Offset, f.ID = sfiAt, 0xb1, 77, heap.Identity{Script: 5, Literal: 9}
	return f
}

func other(kind FrameKind, pc uint64) WalkFrame {
	raw := RawFrame{PC: pc, Marker: -1, Offset: -1, ID: heap.Identity{Script: -1}}
	return WalkFrame{RawFrame: raw, Kind: kind}
}

func builtinFrame(pc uint64) WalkFrame {
	f := other(FrameTyped, pc)
	f.SFI, f.Marker = marked, marked>>1
	return f
}

func exact(f WalkFrame) WalkFrame { f.Exact = true; return f }

func TestWalk(t *testing.T) {
	for _, c := range []struct {
		name    string
		pc      uint64
		bp      uint64
		prepare func(m wordMemory)
		want    []WalkFrame
		stop    Stop
	}{
		{"to the root", v8Code + 1, fp1, func(m wordMemory) {
			m.frame(fp1, fp2, v8Code+2, context)
			m.frame(fp2, fp3, nativeCode+3, marked)
			m.frame(fp3, 0, rootCode+4, 0)
		}, []WalkFrame{exact(js(v8Code + 1)), builtinFrame(v8Code + 2), other(FrameNative, nativeCode+3),
			other(FrameNative, rootCode+4)}, StopRoot},
		{"a call is the last instruction", nativeCode + 1, fp1,
			func(m wordMemory) { m.frame(fp1, fp2, rootCode+codeSize, 0) },
			[]WalkFrame{exact(other(FrameNative, nativeCode+1)), other(FrameNative, rootCode+codeSize)}, StopRoot},
		{"an interrupted function is exact", signalCode + 1, fp1, func(m wordMemory) {
			m[stackBase+8], m[stackBase+16] = stackBase-0x800, fp1
			m.frame(fp1, fp2, rootCode+4, 0)
		}, []WalkFrame{exact(other(FrameNative, signalCode+1)), exact(other(FrameNative, nativeCode+0x99)),
			other(FrameNative, rootCode+4)}, StopRoot},
		{"without a rule by the frame pointer", bareCode + 1, fp1,
			func(m wordMemory) { m.frame(fp1, fp2, rootCode+4, 0) },
			[]WalkFrame{exact(other(FrameNative, bareCode+1)), other(FrameNative, rootCode+4)}, StopRoot},
		{"unknown code by the frame pointer", 0x99, fp1, func(m wordMemory) { m.frame(fp1, fp2, rootCode+4, 0) },
			[]WalkFrame{exact(other(FrameUnknown, 0x99)), other(FrameNative, rootCode+4)}, StopRoot},
		{"a frame pointer to no code", bareCode + 1, fp1, func(m wordMemory) { m.frame(fp1, fp2, 0x99, 0) },
			[]WalkFrame{exact(other(FrameNative, bareCode+1))}, StopNoRule},
		{"a frame pointer below the stack", bareCode + 1, stackBase - 8,
			func(m wordMemory) { m.frame(stackBase-8, fp2, rootCode+4, 0) },
			[]WalkFrame{exact(other(FrameNative, bareCode+1))}, StopNoRule},
		{"an odd frame pointer", v8Code + 1, fp1 + 4, func(m wordMemory) { m.frame(fp1, fp2, rootCode+4, 0) },
			[]WalkFrame{exact(other(FrameFunction, v8Code+1))}, StopUnreadable},
		{"no memory", v8Code + 1, fp1, func(m wordMemory) {}, []WalkFrame{exact(other(FrameFunction, v8Code+1))},
			StopUnreadable},
		{"no memory for a rule", nativeCode + 1, fp1, func(m wordMemory) {},
			[]WalkFrame{exact(other(FrameNative, nativeCode+1))}, StopUnreadable},
		{"a frame that is its own caller", v8Code + 1, fp1, func(m wordMemory) { m.frame(fp1, fp1, v8Code+2, marked) },
			[]WalkFrame{exact(builtinFrame(v8Code + 1)), other(FrameFunction, v8Code+2)}, StopUnreadable},
		{"a native one", nativeCode + 1, fp1, func(m wordMemory) { m.frame(fp1, fp1, nativeCode+2, 0) },
			[]WalkFrame{exact(other(FrameNative, nativeCode+1)), other(FrameNative, nativeCode+2)}, StopNoProgress},
		{"return address 0", v8Code + 1, fp1, func(m wordMemory) { m.frame(fp1, fp2, 0, context) },
			[]WalkFrame{exact(js(v8Code + 1))}, StopBadPC},
		{"of the kernel", v8Code + 1, fp1, func(m wordMemory) { m.frame(fp1, fp2, 1<<47, context) },
			[]WalkFrame{exact(js(v8Code + 1))}, StopBadPC},
		{"on at V8's exit frame", nativeCode + 1, 0, func(m wordMemory) {
			m[isolateAt+entryFP] = fp2
			m.frame(fp2, fp3, v8Code+2, 0)
			m.frame(fp3, fp4, rootCode+3, context)
		}, []WalkFrame{exact(other(FrameNative, nativeCode+1)), exact(other(FrameGap, nativeCode+1)), js(v8Code + 2),
			other(FrameNative, rootCode+3)}, StopRoot},
		{"but once", nativeCode + 1, 0, func(m wordMemory) {
			m[isolateAt+entryFP] = fp2
			m.frame(fp2, 0, nativeCode+2, 0)
		}, []WalkFrame{exact(other(FrameNative, nativeCode+1)), exact(other(FrameGap, nativeCode+1)),
			other(FrameNative, nativeCode+2)}, StopUnreadable},
		{"an exit frame of another thread", nativeCode + 1, 0, func(m wordMemory) {
			far := uint64(stackBase + MaxGap + 8)
			m[isolateAt+entryFP] = far
			m.frame(far, fp3, v8Code+2, 0)
			m.frame(fp3, fp4, rootCode+3, context)
		}, []WalkFrame{exact(other(FrameNative, nativeCode+1))}, StopUnreadable},
		{"no exit frame below", nativeCode + 1, 0, func(m wordMemory) { m[isolateAt+entryFP] = stackBase },
			[]WalkFrame{exact(other(FrameNative, nativeCode+1))}, StopUnreadable},
	} {
		m := heapOf()
		c.prepare(m)
		var regs target.Registers
		regs.IP, regs.General[target.RSP], regs.General[target.RBP] = c.pc, stackBase, c.bp
		w := Walker{m, walkLayout(), handCode{}}.Walk(regs, isolateAt)
		if diff := cmp.Diff(c.want, w.Frames); diff != "" || w.Stop != c.stop || w.Skipped != 0 {
			t.Errorf("%s: stop %d, want %d; %s", c.name, w.Stop, c.stop, diff)
		}
		inJS := slices.ContainsFunc(w.Frames, func(f WalkFrame) bool { return f.SFI == sfiAt })
		if want := (map[bool]heap.Word{true: context})[inJS]; w.Context != want {
			t.Errorf("%s: context %#x, want %#x", c.name, uint64(w.Context), uint64(want))
		}
	}
}

// A function in a heap that the collector is at work on is followed; what cannot be read has no identity.
// TestFramePointers: a function has its arguments once their number is pushed. Until then an older word is there.
func TestFramePointers(t *testing.T) {
	m := heapOf()
	m.frame(fp1, fp2, v8Code+2, context)
	m.frame(fp2, fp3, rootCode+4, context)
	for sp, want := range map[uint64]uint64{fp1: 0, fp1 - 8: 0, fp1 - 16: 0, fp1 - 24: fp1, fp1 - 32: fp1} {
		regs := target.Registers{IP: v8Code + 1}
		regs.General[target.RBP], regs.General[target.RSP] = fp1, sp
		_, got := Walker{m, walkLayout(), handCode{}}.WalkPointers(regs, isolateAt)
		if !slices.Equal(got, []uint64{want, fp2, 0}) {
			t.Errorf("SP %#x: %#x", sp, got)
		}
	}
}

func TestWalkIdentity(t *testing.T) {
	moved := uint64(0x700_0400)
	for _, c := range []struct {
		name    string
		prepare func(m wordMemory)
		sfi     heap.Word
		id      heap.Identity
	}{
		{"as it is", func(m wordMemory) {}, sfiAt, heap.Identity{Script: 5, Literal: 9}},
		{"forwarded, and not copied yet", func(m wordMemory) {
			for i := range uint64(8) {
				m[moved+8*i] = 0xdead1
			}
			m[moved], m[sfiAt-1] = m[sfiAt-1], moved
		}, heap.Word(moved + 1), heap.Identity{Script: 5, Literal: 9}},
		{"moved to what has moved", func(m wordMemory) { m[sfiAt-1], m[moved] = moved, moved }, 0,
			heap.Identity{Script: -1}},
		{"no function", func(m wordMemory) { delete(m, functionAt-1+8) }, 0, heap.Identity{Script: -1}},
		{"no script", func(m wordMemory) { m[scriptMap-1+8] = 165 << 32 }, sfiAt,
			heap.Identity{Script: -1, Literal: 9}},
		{"a script without a number", func(m wordMemory) { m[scriptAt-1+64] = 1 }, sfiAt,
			heap.Identity{Script: -1, Literal: 9}},
		{"a script behind what a debugger has noted", func(m wordMemory) {
			m[sfiAt-1+40], m[moved], m[moved+24] = moved+1, moved+0x101, scriptAt
			for at := moved + 8; at < moved+64; at += 8 {
				if at != moved+24 {
					m[at] = 0x99
				}
			}
			m[moved+0x100+8] = 166 << 32
		}, sfiAt, heap.Identity{Script: 5, Literal: 9}},
		{"zero for a script", func(m wordMemory) { m[sfiAt-1+40] = 0 }, sfiAt, heap.Identity{Script: -1, Literal: 9}},
	} {
		m := heapOf()
		m.frame(fp1, 0, rootCode+1, context)
		c.prepare(m)
		var regs target.Registers
		regs.IP, regs.General[target.RSP], regs.General[target.RBP] = v8Code, stackBase, fp1
		regs.General[target.RDI] = functionAt
		l := walkLayout()
		l.Values[layout.DebugInfoScript] = layout.Value{N: 24, State: layout.Known}
		l.Values[layout.TypeDebugInfo] = layout.Value{N: 166, State: layout.Known}
		w := Walker{m, l, handCode{}}.Walk(regs, 0)
		if f := w.Frames[0]; f.SFI != c.sfi || f.ID != c.id || w.Leaf.Callee.ID != c.id {
			t.Errorf("%s: 0x%x %+v, callee %+v", c.name, f.SFI, f.ID, w.Leaf.Callee.ID)
		}
	}
}

// A SharedFunctionInfo of 56 bytes, as until V8 11, is known at the end of what is mapped too.
func TestWalkIdentityAtEnd(t *testing.T) {
	const end, size = 0x701_0000, 56
	m := heapOf()
	m.frame(fp1, 0, rootCode+1, context)
	for at := uint64(end - size); at < end; at += 8 {
		m[at] = 0x99
	}
	m[functionAt-1+32], m[end-size+32], m[end-size+48] = end-size+1, scriptAt, 9<<32
	l := walkLayout()
	l.Values[layout.SFIScript].N, l.Values[layout.SFIFunctionLiteralID].N = 32, 52
	var regs target.Registers
	regs.IP, regs.General[target.RSP], regs.General[target.RBP] = v8Code, stackBase, fp1
	f := Walker{m, l, handCode{}}.Walk(regs, 0).Frames[0]
	if want := (heap.Identity{Script: 5, Literal: 9}); f.ID != want || f.SFI != end-size+1 {
		t.Errorf("0x%x %+v, want %+v", f.SFI, f.ID, want)
	}
}

// deep is a stack of so many frames, the last of them the thread's first. Their return addresses tell them apart.
func deep(n int) (wordMemory, target.Registers) {
	m := heapOf()
	fp := func(i int) uint64 { return stackBase + 0x100 + uint64(i)*0x40 }
	for i := range n - 2 {
		m.frame(fp(i), fp(i+1), v8Code+uint64(i)+1, marked)
	}
	m.frame(fp(n-2), 0, rootCode+1, marked)
	var regs target.Registers
	regs.IP, regs.General[target.RSP], regs.General[target.RBP] = v8Code, stackBase, fp(0)
	return m, regs
}

func TestWalkDeep(t *testing.T) {
	for _, n := range []int{2, 900, 1023, 1024, 1025, 1100, 1280, 6000, MaxSteps, MaxSteps + 1, MaxSteps + 500} {
		m, regs := deep(n)
		w := Walker{m, walkLayout(), handCode{}}.Walk(regs, 0)
		found := min(n, MaxSteps)
		kept := min(found, KeptLeaf+KeptRoot)
		if len(w.Frames) != kept || w.Skipped != found-kept || (w.Stop == StopRoot) != (n <= MaxSteps) {
			t.Fatalf("%d frames: %d kept, %d skipped, stop %d", n, len(w.Frames), w.Skipped, w.Stop)
		}
		for i, f := range w.Frames {
			at := i
			if i >= KeptLeaf {
				at += w.Skipped
			}
			want := uint64(v8Code + at)
			if at == n-1 {
				want = rootCode + 1
			}
			if f.PC != want {
				t.Fatalf("%d frames: frame %d is 0x%x, want 0x%x", n, i, f.PC, want)
			}
		}
	}
}

func TestIsolate(t *testing.T) {
	m := wordMemory{0x1000 - 8: isolateAt, 0x1000 + 0x350: isolateAt + 8}
	for _, c := range []struct {
		base   uint64
		offset int64
		want   uint64
	}{{0x1000, -8, isolateAt}, {0x1000, 0x350, isolateAt + 8}, {0, -8, 0}, {0x1000, 0, 0}, {0x2000, -8, 0}} {
		if got := Isolate(m, c.base, c.offset); got != c.want {
			t.Errorf("thread pointer 0x%x %+d: 0x%x, want 0x%x", c.base, c.offset, got, c.want)
		}
	}
}

// anyMemory answers with words of its bytes, wherever it is asked. It counts reads.
type anyMemory struct {
	b     []byte
	reads int
}

var errNone = errors.New("no memory")

func (m *anyMemory) ReadAt(p []byte, off int64) (int, error) {
	m.reads++
	for i := range p {
		at := (uint64(off) + uint64(i)) % (uint64(len(m.b)) + 64)
		if at >= uint64(len(m.b)) {
			return i, errNone
		}
		p[i] = m.b[at]
	}
	return len(p), nil
}

// FuzzWalk walks whatever stack, heap and isolate bytes make.
func FuzzWalk(f *testing.F) {
	f.Add(make([]byte, 64), uint64(v8Code), uint64(stackBase), uint64(fp1))
	f.Add([]byte{0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0x10, 0, 0, 0, 0, 0}, uint64(nativeCode), uint64(0), uint64(8))
	f.Fuzz(func(t *testing.T, b []byte, pc, sp, bp uint64) {
		var regs target.Registers
		regs.IP, regs.General[target.RSP], regs.General[target.RBP] = pc, sp, bp
		regs.General[target.RDI] = bp
		m := &anyMemory{b: b}
		w := Walker{m, walkLayout(), handCode{}}.Walk(regs, isolateAt)
		if n := len(w.Frames); n == 0 || n > KeptLeaf+KeptRoot || n+w.Skipped > MaxSteps+1 {
			t.Fatalf("%d frames, %d skipped", n, w.Skipped)
		}
		if w.Stop == 0 || m.reads > 9*(MaxSteps+2) {
			t.Fatalf("stop %d, %d reads", w.Stop, m.reads)
		}
	})
}
