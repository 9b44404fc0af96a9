package walk

import (
	"encoding/binary"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/bpf/bpftest"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/agent/internal/unwind"
)

// Where a thread of libuv's pool, and what it works on, are in the memory of TestPoolWork.
const (
	poolCode   = wildAt + 0x8000 // of the function that works, at its leaf
	poolTable  = 5               // slot of the rules of the file with this code
	poolCall   = wildAt + 0x8100 // behind the call in worker()
	poolStack  = wildAt + 0x1000
	poolWrap   = wildAt + 0x1fb0 // an AsyncWrap, of which poolObject is a part
	poolObject = wildAt + 0x2000 // a ThreadPoolWork
	poolWork   = poolObject + 16 + 88
	poolRealm  = wildAt + 0x3000
	poolOwner  = wildAt + 0x4000 // the isolate
	poolFile   = wildAt + 0x8210 // uv__fs_work
	typeMap    = 0x43c
	poolID     = 0x4020000000000000
	vtable     = wildAt + 0x9000
	poolSlot   = wildAt + 0x9100 // of the AsyncWrap's handle
	poolJS     = wildAt + 0x9200 // its JavaScript object
)

type poolMemory []byte

func (m poolMemory) put(at, word uint64) { binary.LittleEndian.PutUint64(m[at-wildAt:], word) }

// poolMemoryOf is one in which a thread works on an object.
func poolMemoryOf() poolMemory {
	m := poolMemory(make([]byte, wildSize))
	m.put(poolStack, poolStack+0x100)     // the frame pointer's chain ends behind worker()
	m.put(poolStack+8, poolCall)          // the CFA is behind it
	m.put(poolStack+16-24, poolWork+0x18) // rbx, as the function has kept it
	m.put(poolWork, wildAt+0x8200)        // uv__queue_work
	m.put(poolObject+16+72, wildAt+0x8300)
	m.put(poolObject, vtable)
	m.put(vtable-16, 1<<64-(poolObject-poolWrap))
	m.put(poolWrap+8, poolSlot)
	m.put(poolWrap+16, poolRealm)
	m.put(poolWrap+48, poolID)
	m.put(poolSlot, poolJS+1)
	m.put(poolJS+32, poolWrap) // the second internal field
	m.put(poolRealm+8, poolOwner)
	m.put(poolOwner+0x10, 0) // what V8 does: JavaScript
	return m
}

func poolProcess() *bpf.Process {
	p := &bpf.Process{Id: 7, N_mappings: 1, StoreLabel: bpf.NoLabel, N_published: 1}
	p.V8 = bpf.V8Layout{VmState: 0x10, Cped: 0x40, MapType: 12, InternalField: 24, TypeMap: typeMap}
	p.Mappings[0] = bpf.Mapping{
		Start: wildAt + 0x8000, End: wildAt + 0x9000, Base: wildAt + 0x7000, Table: poolTable, Kind: bpf.MappingNative,
	}
	p.Pool = bpf.Pool{Call: poolCall, NodeWork: wildAt + 0x8300, Reg: 3, Offset: -0x18, WorkCb: 72, WorkReq: 16}
	p.Pool.Functions = [4]uint64{wildAt + 0x8200, poolFile}
	p.Pool.Requests = [4]int32{88, 336}
	return p
}

// keptAs is where the function at poolCode keeps its caller's rbx.
func keptAs(place int32) map[bpf.KeptKey]int32 {
	return map[bpf.KeptKey]int32{{Table: poolTable, Reg: 3, At: 0x1000}: place}
}

// TestPoolWork: from the stack of a thread of the pool to the object that it works on. What is not as it should be is
// no work, or counted; while the owner collects garbage, the work is reported, but nothing read of it.
func TestPoolWork(t *testing.T) {
	p := bpftest.Load(t)
	kept := keptAs(-3)
	layout := bpf.Work{Realm: 16, Isolate: 8, Id: 48, Resource: 8}
	known := map[bpf.WorkKey]bpf.Work{{Process: 7}: layout}
	withFrame := map[bpf.WorkKey]bpf.Work{{Process: 7}: {Realm: 16, Isolate: 8, Id: 48, Resource: 8, Frame: 72}}
	knownClass := map[bpf.WorkKey]bpf.Work{{Process: 7, Class: vtable}: layout}
	file := func(object uint64) func(poolMemory) {
		return func(m poolMemory) {
			m.put(poolWork, poolFile)
			m.put(poolWork-336, object)
		}
	}
	noWrap := func(m poolMemory) { m.put(poolJS+32, poolObject) }
	type outcome struct {
		Work, Job uint64
		Records   []uint8
	}
	for _, tt := range []struct {
		name   string
		change func(poolMemory)
		kept   map[bpf.KeptKey]int32
		works  map[bpf.WorkKey]bpf.Work
		want   outcome
	}{
		{"works", nil, kept, known, outcome{Work: poolWrap, Job: poolID}},
		{"collects", func(m poolMemory) { m.put(poolOwner+0x10, 1) }, kept, known,
			outcome{poolWrap, poolID, []uint8{bpf.ContextUnreadable}}},
		{"isolate not readable", func(m poolMemory) { m.put(poolRealm+8, 8) }, kept, known,
			outcome{poolWrap, poolID, []uint8{bpf.ContextUnreadable}}},
		{"frame not readable", func(m poolMemory) { m.put(poolWrap+72, 8) }, kept, withFrame,
			outcome{poolWrap, poolID, []uint8{bpf.ContextUnreadable}}},
		{"done", func(m poolMemory) { m.put(poolWork, 0) }, kept, known, outcome{}},
		{"not Node's", func(m poolMemory) { m.put(poolObject+16+72, wildAt+0x8400) }, kept, known, outcome{}},
		{"not in the pool", func(m poolMemory) { m.put(poolStack+8, poolCall+8) }, kept, known, outcome{}},
		{"register elsewhere", nil, keptAs(int32(unwind.KeptLost)), known,
			outcome{Records: []uint8{bpf.ContextUnreadable}}},
		{"register not kept", nil, keptAs(int32(unwind.KeptSame)), known,
			outcome{Work: poolWrap, Job: poolID}},
		{"function not known", nil, nil, known, outcome{Records: []uint8{bpf.ContextLearnKept}}},
		{"wraps not known", nil, kept, knownClass, outcome{Records: []uint8{bpf.ContextLearnWork}}},
		{"no wrap", noWrap, kept, knownClass, outcome{Work: poolWrap, Job: poolID}},
		{"file", file(poolWrap), kept, known, outcome{Work: poolWrap, Job: poolID}},
		{"file of an add-on", file(poolWrap + 8), kept, known, outcome{Records: []uint8{bpf.ContextUnreadable}}},
		{"class not known", noWrap, kept, known, outcome{Records: []uint8{bpf.ContextLearnWork}}},
		{"class of no known request", noWrap, kept, map[bpf.WorkKey]bpf.Work{{Process: 7, Class: vtable}: {}},
			outcome{Records: []uint8{bpf.ContextUnreadable}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := poolMemoryOf()
			if tt.change != nil {
				tt.change(m)
			}
			putAll(t, p.KeptPlaces, tt.kept)
			putAll(t, p.Works, tt.works)
			got := outcome{}
			s := runPool(t, p, poolProcess(), m)
			got.Work, got.Job = s.Work, s.Job
			if err := s.ContextRecords(func(kind, _ uint8,
				_ []byte) {
				got.Records = append(got.Records, kind)
			}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestPoolAsks: what the agent needs to know of an object that it has not met is in the sample.
func TestPoolAsks(t *testing.T) {
	p := bpftest.Load(t)
	putAll(t, p.KeptPlaces, keptAs(-3))
	const frame, class = wildAt + 0x9400, wildAt + 0x9480 // a JavaScript Map, and its hidden class
	m := poolMemoryOf()
	m.put(frame, class+1)
	m.put(class+8, typeMap<<32) // the instance type is at 12
	m.put(poolJS+40, frame+1)   // the third internal field
	m.put(poolObject+8, poolRealm)
	want := bpf.JobObject{Owner: poolRealm, Frames: bpf.FrameInField}
	want.Words = [12]uint64{1: poolSlot, 2: poolRealm, 6: poolID, 10: vtable, 11: poolRealm}
	asked := 0
	s := runPool(t, p, poolProcess(), m)
	if err := s.ContextRecords(func(kind, _ uint8, data []byte) {
		var got bpf.JobObject
		if _, err := binary.Decode(data, binary.LittleEndian, &got); err != nil || kind != bpf.ContextLearnWork {
			t.Fatalf("record %d: %v", kind, err)
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(bpf.JobObject{})); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		asked++
	}); err != nil || asked != 1 {
		t.Errorf("asked %d times: %v", asked, err)
	}
	off := poolProcess()
	off.V8.Cped, off.V8.FirstJsObject = 0, 0 // where the layout is not trusted, for now
	none := poolProcess()
	none.N_published = 0
	for _, of := range []*bpf.Process{off, none} {
		if s := runPool(t, p, of, m); len(s.Context) > 0 {
			t.Errorf("it asks while no contexts are read: %x", s.Context)
		}
	}
}

// TestPoolPublisher: where the owner of a job has what it publishes is asked for, unless that is known, or that it
// publishes nothing.
func TestPoolPublisher(t *testing.T) {
	p := bpftest.Load(t)
	putAll(t, p.KeptPlaces, keptAs(-3))
	putAll(t, p.Works, map[bpf.WorkKey]bpf.Work{{Process: 7}: {Realm: 16, Isolate: 8, Id: 48, Resource: 8, Frame: 72}})
	const slot, frame, variable = wildAt + 0x9500, wildAt + 0x9400, wildAt + 0x9600
	m := poolMemoryOf()
	m.put(poolWrap+72, slot)
	m.put(slot, frame+1)
	of := poolProcess()
	of.Published[0].Kind = bpf.PublishedNode
	key := bpf.PublisherKey{Process: 7, Isolate: poolOwner}
	for _, tt := range []struct {
		name  string
		known map[bpf.PublisherKey]uint64
		holds uint64 // first word of the variable
		want  []uint8
	}{
		{"not known", nil, 0,
			[]uint8{bpf.ContextLearnPublisher, bpf.ContextAgain, bpf.ContextLearnPublisher}},
		{"publishes nothing", map[bpf.PublisherKey]uint64{key: 0}, 0, nil},
		{"publishes nothing now", map[bpf.PublisherKey]uint64{key: variable}, 0, nil},
		{"of another isolate", map[bpf.PublisherKey]uint64{key: variable}, slot,
			[]uint8{bpf.ContextUnreadable, bpf.ContextAgain, bpf.ContextUnreadable}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			putAll(t, p.Publishers, tt.known)
			m.put(variable, tt.holds)
			s := runPool(t, p, of, m)
			var got []uint8
			if err := s.ContextRecords(func(kind, _ uint8, data []byte) {
				if got = append(got, kind); kind != bpf.ContextLearnPublisher {
					return
				}
				if isolate := binary.LittleEndian.Uint64(data); isolate != poolOwner {
					t.Errorf("it asks for isolate %#x, want %#x", isolate, poolOwner)
				}
			}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || s.Work != poolWrap {
				t.Errorf("work %#x, records -want +got:\n%s", s.Work, diff)
			}
		})
	}
}

// putAll puts entries into a map of the program for the length of a test.
func putAll[K comparable, V any](t *testing.T, to interface {
	Put(key, value any) error
	Delete(key any) error
}, all map[K]V) {
	t.Helper()
	for key, value := range all {
		if err := to.Put(key, value); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { to.Delete(key) })
	}
}

func runPool(t *testing.T, p *bpftest.Program, of *bpf.Process, m poolMemory) sampler.Sample {
	t.Helper()
	in := bpftest.Input{PID: walkPID, Process: of, Pages: []bpftest.Page{{Addr: wildAt, Data: m}}}
	in.Registers.IP, in.Registers.FSBase = poolCode, wildAt+0xa000
	in.Registers.General[3] = poolWork + 0x18
	in.Registers.General[6], in.Registers.General[7] = poolStack, poolStack-0x40
	s, _ := runWild(t, p, in)
	return s
}
