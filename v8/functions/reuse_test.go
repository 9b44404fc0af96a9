package functions

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/stack"
	"github.com/hotspan/hotspan/v8/target"
)

// codeSpace is memory in which pieces of code come and go as in V8's.
type codeSpace struct {
	bytes    []byte // from address 0 on
	unmapped bool
	reads    int // system calls, as it were
}

func (m *codeSpace) ReadAt(p []byte, off int64) (int, error) {
	m.reads++
	if m.unmapped || off < 0 || off+int64(len(p)) > int64(len(m.bytes)) {
		return 0, fmt.Errorf("read at 0x%x: %w", off, unix.EFAULT)
	}
	return copy(p, m.bytes[off:]), nil
}

func (m *codeSpace) ReadParts(parts []target.Part) (int, error) {
	reads := m.reads
	defer func() { m.reads = reads + 1 }()
	for i, p := range parts {
		if _, err := m.ReadAt(p.To, int64(p.At)); err != nil {
			return i, err
		}
	}
	return len(parts), nil
}

func (m *codeSpace) Builtin(uint64) (string, uint64, uint64, bool) { return "", 0, 0, false }
func (m *codeSpace) Address(uint64) (uint64, bool)                 { return 0, false }
func (m *codeSpace) Generated(uint64) bool                         { return true }

// Where things are in the memory, and in its objects.
const (
	streamClass, codeClass = 0x1000, 0x1100
	streamType, codeType   = 100, 101
	streamHeader           = 64
	typeAt                 = 12
)

var codeFields = map[layout.Field]int64{
	layout.MapInstanceType: typeAt, layout.TypeInstructionStream: streamType, layout.TypeCode: codeType,
	layout.InstructionStreamBody: streamHeader, layout.InstructionStreamCode: 8, layout.CodeInstructionStart: 16,
	layout.CodeInstructionSize: 24, layout.CodeFlags: 28, layout.CodePositions: 32, layout.CodeDeoptData: 40,
	layout.CodeFlagsKindMask: 0xf, layout.IsolateHeap: 0, layout.HeapMSCount: countAt, layout.HeapGCState: countAt - 8,
}

func newCodeSpace() (*codeSpace, *Resolver) {
	m := &codeSpace{bytes: make([]byte, 1<<16)}
	binary.LittleEndian.PutUint16(m.bytes[streamClass+typeAt:], streamType)
	binary.LittleEndian.PutUint16(m.bytes[codeClass+typeAt:], codeType)
	l := &layout.Layout{}
	for f, n := range codeFields {
		l.Values[f] = layout.Value{State: layout.Known, N: n}
	}
	return m, NewResolver(heap.NewReader(m, l), m)
}

func (m *codeSpace) word(at uint64, v uint64) { binary.LittleEndian.PutUint64(m.bytes[at:], v) }

// compile puts code of a size at a place, with a Code object and tables of its own.
func (m *codeSpace) compile(stream, object, size uint64) {
	m.word(stream, streamClass|1)
	m.word(stream+8, object|1)
	m.word(object, codeClass|1)
	m.word(object+16, stream+streamHeader)
	m.word(object+24, size)
	m.word(object+32, object+0x800|1)
	m.word(object+40, object+0x900|1)
}

const place, pc = 0x8000, 0x8000 + streamHeader + 40

// TestPlaceUsedAgain: a sample that is looked at late names no code that came to its place meanwhile; one that is
// looked at in time does, and so do all that were taken later.
func TestPlaceUsedAgain(t *testing.T) {
	m, v := newCodeSpace()
	m.compile(place, 0x2000, 100)
	now := int64(0)
	v.Now = func() int64 { return now }
	at := func(late bool) uint64 {
		now += 100e6
		taken := now
		if late {
			taken -= 50e6
		}
		v.Begin(Moment{Isolate: 1, Thread: 1, Taken: taken})
		c := v.codeOf(pc)
		if c == nil {
			return 0
		}
		return c.Start + uint64(c.End-c.Start)<<32 // tells the sizes apart
	}
	first, second, third := uint64(place+streamHeader+100<<32), uint64(place+streamHeader+200<<32),
		uint64(place+streamHeader+300<<32)
	v.Renew(0)
	if got := at(true); got != first {
		t.Fatalf("0x%x, want the first code", got)
	}
	basis, ok := v.Basis()
	if v.Renew(0); !ok || !v.Holds(basis) {
		t.Error("the first code does not hold, though nothing has changed")
	}
	m.compile(place, 0x4000, 200)
	if got := at(true); got != first {
		t.Errorf("0x%x: what was checked after the sample was taken is not asked again", got)
	}
	v.Renew(0)
	if v.Holds(basis) {
		t.Error("the first code holds, though another is there")
	}
	if got := at(true); got != 0 {
		t.Errorf("0x%x names a sample that may be of the first code", got)
	}
	if _, ok := v.Basis(); ok {
		t.Error("a sample without a name is kept")
	}
	v.Renew(0)
	if got := at(true); got != second {
		t.Errorf("0x%x, want the second code", got)
	}
	m.compile(place, 0x6000, 300)
	v.Renew(0)
	if got := at(false); got != third {
		t.Errorf("0x%x, want the third code, which is there in time", got)
	}
	m.unmapped = true
	v.Renew(0)
	if got := at(true); got != third {
		t.Errorf("0x%x, want the third code, which was there until its memory was unmapped", got)
	}
	if v.Begin(Moment{Isolate: 2, Thread: 2}); v.codeOf(pc) != nil {
		t.Error("code of one isolate is another's")
	}
}

// An isolate in that memory, and where it has when it was made.
const isolatePlace, madeAt = 0x4000, 0x4000 + timesFrom + 0x100

// TestKnownCodeIsReadOnce: all code that samples were in is checked by one system call, and their isolate.
func TestKnownCodeIsReadOnce(t *testing.T) {
	m, v := newCodeSpace()
	v.Started = 1e6
	m.word(madeAt, math.Float64bits(2))
	const pieces = 8
	for i := range uint64(pieces) {
		m.compile(place+i*0x400, 0x2000+i*0x100, 100)
	}
	all := func() {
		v.Renew(0)
		for range 3 {
			v.Begin(Moment{Isolate: isolatePlace, Thread: 1, Taken: 3e6})
			for i := range uint64(pieces) {
				if v.codeOf(pc+i*0x400) == nil {
					t.Fatalf("no code %d", i)
				}
			}
		}
	}
	all()
	m.reads = 0
	if all(); m.reads != 1 {
		t.Errorf("%d reads, want 1", m.reads)
	}
	for range checkedFor - 1 {
		v.Renew(0)
	}
	m.reads = 0
	if all(); m.reads != 1 {
		t.Errorf("%d reads, want 1: the code was used not long ago", m.reads)
	}
	for range checkedFor {
		v.Renew(0)
	}
	m.reads = 0
	if v.Renew(0); m.reads != 0 {
		t.Errorf("%d reads of code that was not used for %d rounds", m.reads, checkedFor+1)
	}
}

// TestIsolateUsedAgain: another isolate in the place of one is found, though what is known of that is checked at once.
func TestIsolateUsedAgain(t *testing.T) {
	m, v := newCodeSpace()
	v.Started = 1e6
	m.word(madeAt, math.Float64bits(2))
	m.compile(place, 0x2000, 100)
	sample := func(taken int64) (isolate uint64) {
		v.Renew(taken)
		if v.Begin(Moment{Isolate: isolatePlace, Thread: 1, Taken: taken}); v.codeOf(pc) == nil {
			t.Error("no code")
		}
		return v.Isolate()
	}
	first := sample(3e6)
	if again := sample(4e6); again != first {
		t.Errorf("isolate %d, want %d", again, first)
	}
	m.word(madeAt, math.Float64bits(5))
	second := sample(6e6)
	if second == first {
		t.Errorf("isolate %d was made after %d", second, first)
	}
	if again := sample(7e6); again != second {
		t.Errorf("isolate %d, want %d", again, second)
	}
}

// TestIsolateOfAnotherClock: a word that changes, and is later than now, is not when an isolate was made: a process
// whose clock is not the kernel's, as by libfaketime, has no such word.
func TestIsolateOfAnotherClock(t *testing.T) {
	m, v := newCodeSpace()
	v.Started, v.Now = 1e6, func() int64 { return 10e6 }
	m.compile(place, 0x2000, 100)
	var first uint64
	for taken := int64(3e6); taken < 6e6; taken += 1e6 {
		m.word(madeAt, math.Float64bits(250187247708+float64(taken)))
		v.Renew(taken)
		if v.Begin(Moment{Isolate: isolatePlace, Thread: 1, Taken: taken}); v.codeOf(pc) == nil {
			t.Error("no code")
		}
		if first == 0 {
			first = v.Isolate()
		} else if v.Isolate() != first {
			t.Errorf("isolate %d, want %d", v.Isolate(), first)
		}
	}
}

// TestPlaceOverwritten: where the code of a V8 without InstructionStreams began, instructions of other code stand,
// which lead nowhere if they are taken for a hidden class. That is not memory that is not mapped.
func TestPlaceOverwritten(t *testing.T) {
	m, _ := newCodeSpace()
	l := &layout.Layout{}
	for f, n := range codeFields {
		l.Values[f] = layout.Value{State: layout.Known, N: n}
	}
	l.Values[layout.InstructionStreamCode] = layout.Value{State: layout.Absent}
	l.Values[layout.TypeInstructionStream].N = codeType // Code itself
	v := NewResolver(heap.NewReader(m, l), m)
	m.word(place, codeClass|1)
	m.word(place+24, 100)
	v.Renew(0)
	if v.Begin(Moment{Isolate: 1, Thread: 1}); v.codeOf(pc) == nil {
		t.Fatal("no code")
	}
	for _, hiddenClass := range []uint64{0x4907e18349c88b4d, 0x4907e18349c88b4c} { // as tagged, and as moved
		m.word(place, hiddenClass)
		v.Renew(0)
		if v.Begin(Moment{Isolate: 1, Thread: 1}); v.codeOf(pc) != nil {
			t.Errorf("code, though its place begins with 0x%x", hiddenClass)
		}
	}
}

// oneBuiltin is an address space whose code is one builtin.
type oneBuiltin struct {
	*codeSpace
	name string
}

func (b *oneBuiltin) Builtin(uint64) (string, uint64, uint64, bool) { return b.name, 0, 1 << 20, true }

// TestBuiltinsMove: V8 maps its builtins for each isolate anew, and one may begin where another did.
func TestBuiltinsMove(t *testing.T) {
	m, _ := newCodeSpace()
	space := &oneBuiltin{codeSpace: m}
	v := NewResolver(heap.NewReader(m, &layout.Layout{}), space)
	for _, name := range []string{"ArrayMap", "ArrayFilter", "ArrayMap"} {
		space.name = name
		if got := v.Resolve(stack.RawFrame{PC: pc, Marker: 1}); len(got) != 1 || got[0].Name != name {
			t.Errorf("%+v, want %s", got, name)
		}
	}
}
