package sampler

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/hotspan/hotspan/agent/internal/bpf"
)

// turnsOf is of a fake ring buffer whose records begin with their process, and then have a number.
func turnsOf(size int) (*fakeRing, *turns) {
	f := newFakeRing(size)
	return f, newTurns(&f.ring, binary.LittleEndian.Uint32)
}

func (f *fakeRing) putOf(process, number uint32) bool {
	b := binary.LittleEndian.AppendUint32(nil, process)
	return f.put(binary.LittleEndian.AppendUint32(b, number), 0)
}

// read looks at all records and reads one, which takes work if that is said; process 0 is that of none.
func (t *turns) read(work int) (process, number uint32) {
	for t.lookAhead() != nil {
	}
	b := t.next()
	if b == nil {
		return 0, 0
	}
	if work > 0 {
		t.work = work
	}
	return binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])
}

const (
	honest      = 1
	hostile     = 2     // the first of those
	largeScript = 20000 // the work with five million two-byte characters
)

// TestTurnsOfCostly: ten processes have records that take long. Once each has had a turn, a record of another process
// that takes little is read next, whenever it comes and whether the process is new or not; and so are all others in the
// end.
func TestTurnsOfCostly(t *testing.T) {
	const processes, each = 10, 8
	f, records := turnsOf(1 << 14)
	for n := range processes * each {
		f.putOf(uint32(hostile+n%processes), uint32(n/processes))
	}
	read := 0
	costly := func() {
		if process, _ := records.read(largeScript); process < hostile || process >= hostile+processes {
			t.Fatalf("after %d records that take long, one of process %d is read", read, process)
		}
		read++
	}
	for range processes {
		costly()
	}
	for read < processes*each {
		costly()
		for _, of := range []uint32{honest, uint32(1000 + read)} {
			f.putOf(of, 0)
			if process, _ := records.read(100); process != of {
				t.Fatalf("after %d records that take long, process %d is read before process %d", read, process, of)
			}
		}
	}
	if process, _ := records.read(0); process != 0 {
		t.Errorf("a record of process %d is left", process)
	}
}

// TestTurnsOfNew: a process that had records before does not wait for those that are new and came before it.
func TestTurnsOfNew(t *testing.T) {
	f, records := turnsOf(1 << 10)
	f.putOf(honest, 0)
	records.read(100)
	records.read(0)
	for p := range uint32(10) {
		f.putOf(hostile+p, 0)
	}
	f.putOf(honest, 1)
	if process, _ := records.read(0); process != honest {
		t.Errorf("process %d is read first", process)
	}
}

// TestTurnsOfAll: of processes that have records all the time each has as much work done, as far as single ones allow;
// one that comes later has no more.
func TestTurnsOfAll(t *testing.T) {
	f, records := turnsOf(1 << 14)
	works := []int{0, 10, 40, 200, 200}
	var done [5]int
	read := func(times int) {
		for range times {
			process, n := records.read(0)
			p := process - honest
			if works[p] > 0 {
				records.work = works[p]
			}
			done[p] += 1 + works[p]
			f.putOf(process, n+1)
		}
	}
	for p := range works[1:] {
		f.putOf(uint32(honest+p), 0)
	}
	read(20_000)
	before := done
	f.putOf(honest+4, 0)
	read(20_000)
	for p, n := range done {
		had := n - before[p]
		if first := done[0] - before[0]; had < first-2*200-firstWork || had > first+2*200+firstWork {
			t.Errorf("work %d for process %d, %d for the first", had, p, first)
		}
	}
}

// TestTurnsKeepOrder: each record is read once, those of a process in their order, and its room is not free before it
// was read, nor that of what is newer.
func TestTurnsKeepOrder(t *testing.T) {
	const processes = 5
	random := rand.New(rand.NewPCG(3, 4))
	f, records := turnsOf(1 << 10)
	var put, read [processes]uint32
	for range 100_000 {
		if of := random.IntN(processes); random.IntN(2) == 0 && f.putOf(uint32(of+1), put[of]) {
			put[of]++
			continue
		}
		process, number := records.read(random.IntN(10) * random.IntN(1000))
		if process == 0 {
			if read != put {
				t.Fatalf("read %d of %d", read, put)
			}
			continue
		}
		if of := process - 1; number != read[of] {
			t.Fatalf("record %d of process %d, want %d", number, process, read[of])
		}
		read[process-1]++
		left := 0
		for at := f.consume.Load(); at < f.produce.Load(); at += 16 {
			b := f.data[at&f.mask+recordHeader:]
			if of := binary.LittleEndian.Uint32(b) - 1; binary.LittleEndian.Uint32(b[4:])+1 >= read[of] {
				left++
			}
		}
		want := 1 // what was read just now is in use
		for of := range put {
			want += int(put[of] - read[of])
		}
		if left < want {
			t.Fatalf("%d records are left, %d were not read", left, want)
		}
	}
}

// TestTurnsByAge: a ring buffer that is more than half full is read by age, so that there is room again.
func TestTurnsByAge(t *testing.T) {
	f, records := turnsOf(1 << 10)
	f.putOf(hostile, 0)
	records.read(largeScript)
	f.putOf(hostile, 1)
	for n := uint32(0); f.produce.Load()-f.consume.Load() <= f.mask*3/4; n++ {
		f.putOf(honest, n)
	}
	if process, _ := records.read(0); process != hostile {
		t.Errorf("process %d is read first", process)
	}
	if process, n := records.read(0); process != honest || n != 0 {
		t.Errorf("record %d of process %d is read next", n, process)
	}
}

// TestTurnsAnew: what a process took while others waited counts no more when no record was left: it has its turn when
// others have taken what is expected of it.
func TestTurnsAnew(t *testing.T) {
	const work = 199
	f, records := turnsOf(1 << 14)
	f.putOf(hostile, 0)
	f.putOf(honest, 0)
	records.read(largeScript)
	records.read(work)
	records.read(0)
	f.putOf(hostile, 1)
	for n := uint32(1); ; n++ {
		f.putOf(honest, n)
		if process, _ := records.read(work); process == hostile {
			break
		}
		if n > largeScript/work+10 {
			t.Fatalf("%d records of another process are read first", n)
		}
	}
}

// TestTurnsForget: queues of processes that have ended are not kept.
func TestTurnsForget(t *testing.T) {
	f, records := turnsOf(1 << 10)
	for process := range uint32(2 * maxQueues) {
		f.putOf(hostile+process, 0)
		records.read(largeScript)
	}
	records.read(0)
	if n := len(records.queues); n > maxQueues+1 {
		t.Errorf("%d queues", n)
	}
}

// TestProcessOf: the process of a record is read as DecodeSample and decodeLifecycle read it.
func TestProcessOf(t *testing.T) {
	one := make([]byte, unsafe.Sizeof(bpf.Sample{}))
	(*bpf.Sample)(unsafe.Pointer(&one[0])).Pid = 1 << 20
	two := make([]byte, unsafe.Sizeof(bpf.Lifecycle{}))
	(*bpf.Lifecycle)(unsafe.Pointer(&two[0])).Pid = 1 << 21
	if a, b := processOf(one), processOf(two); a != 1<<20 || b != 1<<21 {
		t.Errorf("processes %d, %d", a, b)
	}
	if p := processOf(two[:7]); p != 0 {
		t.Errorf("process %d of a record without one", p)
	}
}
