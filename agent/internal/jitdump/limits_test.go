package jitdump

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/priority"
	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/agent/internal/share"
)

// skip makes the file longer by bytes that are zero and take no room.
func (w *writer) skip(n int64) {
	w.t.Helper()
	at, err := w.file.Seek(n, io.SeekCurrent)
	if err == nil {
		err = w.file.Truncate(at)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// TestLongRecords: of a long record only the beginning is read, wherever the file ends at first, and lines of one that
// is too long are left out and counted.
func TestLongRecords(t *testing.T) {
	const long = MaxCode
	w, names := newWriter(t, false)
	order := binary.LittleEndian
	find := func(offset uint64) (Place, bool) { at := now(); return names.Find(w.at+offset, at, at) }
	records := func(all ...[]any) []byte { return encode(t, order, fileHeader{}, all...)[headerSize:] }
	code := func(at uint64) []any {
		const size = prefixSize + loadSize + 2 + long
		return []any{recordHeader{0, size, uint64(now())}, loadRecord{1, 1, at, at, long, 1}, "x\x00"}
	}
	w.write(encode(t, order, w.header(), w.load("first", 0, now())))
	if place, ok := find(3); place.Function != "first" {
		t.Fatal(place, ok)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 20 {
		w.write(records(code(1 << 40)))
		w.skip(long)
	}
	w.write(records([]any{recordHeader{2, prefixSize + 20<<20, uint64(now())}}))
	w.skip(20 << 20)
	w.write(records(w.load("second", 64, now()), code(1<<40)))
	w.skip(long - 1)
	if place, _ := find(64); place.Function != "second" {
		t.Errorf("behind long records: %+v", place)
	}
	w.skip(1)
	w.write(records(w.load("third", 128, now())))
	if place, _ := find(128); place.Function != "third" {
		t.Errorf("behind one that was not complete at first: %+v", place)
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 8<<20 {
		t.Errorf("%d bytes are read of beginnings", n)
	}
	f := names.files[0]
	said := strings.Contains(w.said.String(), `"left out"=1`)
	if f.left != 1 || f.find(1<<40+long-1, now()) != nil || !said {
		t.Errorf("%d left out, said %s", f.left, &w.said)
	}
	if p := f.codes.find(1<<40+long-1, uint64(now())); p == nil || p.end-p.start != long {
		t.Errorf("long code is %+v", p)
	}
}

// TestReadingPriority: a file is read without the priority that the handling of samples has.
func TestReadingPriority(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Fatal("this test raises the priority of threads: run it as root")
	}
	nice := func() int {
		n, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
		if err != nil {
			t.Error(err)
		}
		return 20 - n // the system call gives 20 less the level
	}
	normal, level := nice(), priority.Nice
	w, names := newWriter(t, false)
	defer priority.Raise()()
	w.write(encode(t, binary.LittleEndian, w.header(), w.load("first", 0, now())))
	if _, ok := names.Find(w.at, now(), now()); !ok {
		t.Fatal("the file is not read")
	}
	reader := names.files[0].reader
	from := reader.From
	reader.From = func(at int64) io.Reader { // is called in the middle of a long record
		level = nice()
		return from(at)
	}
	w.write(encode(t, binary.LittleEndian, fileHeader{}, []any{recordHeader{99, prefixSize + 1<<20, 1}})[headerSize:])
	w.skip(1 << 20)
	w.write(encode(t, binary.LittleEndian, fileHeader{}, w.load("second", 64, now()))[headerSize:])
	if place, _ := names.Find(w.at+64, now(), now()); place.Function != "second" || level != normal {
		t.Errorf("read %+v, at the level %d, want %d", place, level, normal)
	}
}

// TestManyRecords: a file that has nothing but records of no known kind is not read to its end.
func TestManyRecords(t *testing.T) {
	head := encode(t, binary.LittleEndian, fileHeader{0x4a695444, 1, 40, 62, 0, 1, 1, 0})
	one := encode(t, binary.LittleEndian, fileHeader{}, []any{recordHeader{99, prefixSize, 1}})[headerSize:]
	all := bytes.NewReader(append(head, bytes.Repeat(one, maxRecords+1)...))
	r, err := NewReader(all)
	if err != nil {
		t.Fatal(err)
	}
	r.From = func(int64) io.Reader { return nil }
	if _, err := r.Next(); !errors.Is(err, errRecords) {
		t.Errorf("%v, with %d bytes left", err, all.Len())
	}
}

// TestUsersMemory: what files of one user's processes take is bounded, those of another's have room beside them, and
// all of it is given back when they are closed.
func TestUsersMemory(t *testing.T) {
	const room = 1000
	size := int(unsafe.Sizeof(piece{})) + 8 + len("f")
	all := share.New[procs.User](2*room*size, 0.5)
	fill := func(c *codes) {
		for i := range uint64(2 * room) {
			c.add(Record{Code: &Code{Time: i, Address: 16 * i, Name: "f", Bytes: make([]byte, 16)}})
		}
	}
	first := &codes{from: all, user: 1}
	same, other := &codes{from: all, user: 1}, &codes{from: all, user: 2}
	for c, want := range map[*codes]int{first: room, same: 0, other: room / 2} {
		if c == first {
			continue
		}
		if len(first.there) == 0 {
			fill(first)
		}
		if fill(c); len(c.there) != want || c.left != int64(2*room-want) {
			t.Errorf("%d pieces of user %d, %d left out; want %d", len(c.there), c.user, c.left, want)
		}
	}
	if len(first.there) != room {
		t.Errorf("%d pieces of the first user", len(first.there))
	}
	first.add(Record{End: &End{1 << 20}})
	first.add(Record{Code: &Code{Time: 1 << 20, Address: 0, Name: "f", Bytes: make([]byte, 16*room)}})
	first.forget(1 << 62)
	for _, c := range []*codes{first, same, other} {
		c.clear()
	}
	if all.All() != 0 {
		t.Errorf("%d bytes are taken in the end", all.All())
	}
}

// TestClose: what a file takes is given back when it is closed, also while it is being read.
func TestClose(t *testing.T) {
	for _, reading := range []bool{false, true} {
		before := memory.All()
		w, names := newWriter(t, false)
		w.write(encode(t, binary.LittleEndian, w.header(), w.load("first", 0, now())))
		if _, ok := names.Find(w.at, now(), now()); !ok || memory.All() == before {
			t.Fatal("nothing is kept")
		}
		if reading {
			names.files[0].start(now())
		}
		names.Close()
		for end := time.Now().Add(10 * time.Second); memory.All() != before; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%d bytes are taken, %d before", memory.All(), before)
			}
		}
	}
}

// TestUserWaits: samples wait for files of one user's processes for some time within a minute, however many there are.
func TestUserWaits(t *testing.T) {
	p := waits{of: map[procs.User]*waited{}}
	for n := range 100 {
		now := time.Duration(n) * time.Second / 2
		some := min(longestWait, p.left(1, now))
		if p.add(1, now, some); p.left(2, now) != userWait {
			t.Error("another user's wait counts")
		}
		if want := max(0, userWait-time.Duration(n+1)*longestWait); p.left(1, now) != want {
			t.Errorf("after %d files %v are left, want %v", n+1, p.left(1, now), want)
		}
	}
	if left := p.left(1, time.Minute+1); left != userWait || len(p.of) > 0 {
		t.Errorf("after a minute %v are left, %v", left, p.of)
	}
}

// TestNoOrder: a file of which each record is before 65,536 others, at the place of all of them, is not read to its
// end: a record would take milliseconds, and there may be four million.
func TestNoOrder(t *testing.T) {
	const records = 20000
	w, names := newWriter(t, false)
	at := now()
	var all [][]any
	for i := range uint64(maxThere) {
		all = append(all, []any{recordHeader{0, 0, uint64(at)}, loadRecord{1, 1, 0, i, 1, i}, "f\x00", "c"})
	}
	for range records {
		all = append(all, []any{recordHeader{1, 0, uint64(at - 1)}, [6]uint64{4: maxThere}})
	}
	w.write(encode(t, binary.LittleEndian, w.header(), all...))
	before := cpuTime(t)
	for names.Any() && cpuTime(t)-before < 20*time.Second {
		_, _ = names.Find(1, now(), now())
		time.Sleep(10 * time.Millisecond)
	}
	if names.Any() || !strings.Contains(w.said.String(), "in no order") {
		t.Errorf("after %v it is still read: %v; said %s", cpuTime(t)-before, names.Any(), &w.said)
	}
}

// cpuTime is the CPU time of this process.
func cpuTime(t *testing.T) time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
