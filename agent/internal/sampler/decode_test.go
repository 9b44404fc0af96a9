package sampler

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/v8/stack"
)

// Sizes of the C structs of event.h, counted by hand.
const (
	headerSize = 4*4 + 8 + 9*8 + frameSize + 3*8 + 4*2 + 4 + 4 + 16 + 8 + 2*4 + 8
	frameSize  = 3*8 + 4*4
	skippedAt  = headerSize - 8 - 2*4 - 8 - 16 - 4 // before the rest of its word, the name, what it waited for, a count
)

// event builds a record as the BPF program does: header, kernel addresses, frames, words of the stack, context.
func event(kernel []uint64, frames [][7]uint64, words []uint64, context string) []byte {
	le := binary.LittleEndian
	var b []byte
	b = le.AppendUint32(b, 1)
	b = le.AppendUint32(b, 101)
	b = le.AppendUint32(b, 102)
	b = le.AppendUint32(b, 3)
	for _, n := range []uint64{1e12, 0xa1, 0xa2, 0xa3, 0xa9, 0xa7, 0xa8, 0xa4, 0xa5, 0xa6} { // time, registers, isolate
		b = le.AppendUint64(b, n)
	}
	frame := func(f [7]uint64) {
		for i, n := range f {
			if i < 3 {
				b = le.AppendUint64(b, n)
			} else {
				b = le.AppendUint32(b, uint32(n))
			}
		}
	}
	frame([7]uint64{0xc1, 0xc2, 0xc3, 7, 8, 9, 2})
	for _, n := range []uint64{0xd1, 0xd3, 0xd2} { // work, turn, job
		b = le.AppendUint64(b, n)
	}
	for _, n := range []int{len(kernel), len(words), len(frames), len(context)} {
		b = le.AppendUint16(b, uint16(n))
	}
	b = append(b, 1, 2, 3, 1) // VM state, GC state, stop, kernel mode
	b = le.AppendUint32(b, 0)
	b = append(b, "node-worker\x00xyz\x00"...)
	b = le.AppendUint64(b, 0xe1) // weight
	b = le.AppendUint32(b, 0xe2) // call
	b = le.AppendUint32(b, 0)
	b = le.AppendUint64(b, 0xe3) // mark-compacts
	for _, n := range kernel {
		b = le.AppendUint64(b, n)
	}
	for _, f := range frames {
		frame(f)
	}
	for _, n := range words {
		b = le.AppendUint64(b, n)
	}
	return append(b, context...)
}

func TestDecodeSample(t *testing.T) {
	frames := [][7]uint64{{1, 2, 3, 0xffffffff, 5, 6, 1<<16 | 1}, {11, 12, 13, 14, 15, 0xffffffff, 2}}
	b := event([]uint64{0xf1, 0xf2}, frames, []uint64{21, 22, 23}, "\x01\x04\x02\x00hi")
	s, err := DecodeSample(slices.Concat(b, []byte("more"))) // the ring buffer may round up
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]uint64{0xf1, 0xf2}, s.Kernel); diff != "" {
		t.Errorf("kernel: %s", diff)
	}
	want := []bpf.Frame{
		{Pc: 1, Sfi: 2, Bytecode: 3, Script: -1, Literal: 5, Offset: 6, Kind: 1, Exact: 1},
		{Pc: 11, Sfi: 12, Bytecode: 13, Script: 14, Literal: 15, Offset: -1, Kind: 2},
	}
	if !slices.Equal(want, s.Frames) {
		t.Errorf("frames: %+v, want %+v", s.Frames, want)
	}
	if diff := cmp.Diff([]uint64{21, 22, 23}, s.Stack); diff != "" {
		t.Errorf("stack: %s", diff)
	}
	if string(s.Context) != "\x01\x04\x02\x00hi" {
		t.Errorf("context %q", s.Context)
	}
	type fields struct {
		Type, Pid, Tid, CPU                   uint32
		Time, IP, SP, BP                      uint64
		RAX, RCX, R8, R9, R10                 uint64
		Isolate, Callee                       uint64
		Work, Turn, Job, Weight, MarkCompacts uint64
		Call                                  uint32
		VM, GC, Stop, InJob                   uint8
		Thread                                string
	}
	got := fields{
		s.Type, s.Pid, s.Tid, uint32(s.Cpu), s.Time, s.Ip, s.Sp, s.Bp,
		s.Rax, s.Rcx, s.R8, s.R9, s.R10, s.Isolate, s.Callee.Pc, s.Work, s.Turn, s.Job, s.Weight, s.MarkCompacts,
		s.Call, s.VmState, s.GcState, s.Stop, s.InJob, s.ThreadName(),
	}
	wantFields := fields{
		1, 101, 102, 3, 1e12, 0xa1, 0xa2, 0xa3,
		0xa9, 0xa7, 0xa8, 0xa4, 0xa5, 0xa6, 0xc1, 0xd1, 0xd3, 0xd2, 0xe1, 0xe3,
		0xe2, 1, 2, 3, 1, "node-worker",
	}
	if diff := cmp.Diff(wantFields, got); diff != "" {
		t.Error(diff)
	}
}

// deep is a record of a stack that has so many more frames than are kept, numbered from the leaf by their pc.
func deep(skipped int) []byte {
	var frames [][7]uint64
	for i := range stack.KeptLeaf + stack.KeptRoot {
		frames = append(frames, [7]uint64{uint64(i)})
	}
	for n := len(frames); n < stack.KeptLeaf+stack.KeptRoot+skipped; n++ {
		frames[stack.KeptLeaf+(n-stack.KeptLeaf)%stack.KeptRoot][0] = uint64(n)
	}
	b := event(nil, frames, nil, "")
	binary.LittleEndian.PutUint16(b[skippedAt:], uint16(skipped))
	return b
}

// Of a deep stack the frames at the leaf and those at the root are there, in order.
func TestDecodeSampleDeep(t *testing.T) {
	for _, skipped := range []int{1, 2, 255, 256, 257, 4976, 1 << 15} {
		record := deep(skipped)
		if _, err := DecodeSample(record); err != nil { // which leaves it as it was
			t.Fatal(err)
		}
		s, err := DecodeSample(record)
		if err != nil || int(s.Skipped) != skipped {
			t.Fatalf("%d: skipped %d, %v", skipped, s.Skipped, err)
		}
		for i, f := range s.Frames {
			want := i
			if i >= stack.KeptLeaf {
				want += skipped
			}
			if f.Pc != uint64(want) {
				t.Fatalf("%d skipped: frame %d is number %d, want %d", skipped, i, f.Pc, want)
			}
		}
	}
}

func TestDecodeSampleSkippedOfFew(t *testing.T) {
	b := event(nil, [][7]uint64{{1}, {2}}, nil, "")
	binary.LittleEndian.PutUint16(b[skippedAt:], 5)
	if _, err := DecodeSample(b); !errors.Is(err, ErrMalformed) {
		t.Errorf("%v", err)
	}
}

func TestDecodeSampleOfNothing(t *testing.T) {
	s, err := DecodeSample(event(nil, nil, nil, ""))
	if err != nil || s.Kernel != nil || s.Frames != nil || s.Stack != nil || s.Context != nil {
		t.Errorf("%+v, %v", s, err)
	}
}

// Each record that is cut off, wherever, must be refused.
func TestDecodeSampleCutOff(t *testing.T) {
	whole := event([]uint64{1}, [][7]uint64{{1}, {2}}, []uint64{3, 4}, "12345")
	if len(whole) != headerSize+8+2*frameSize+16+5 {
		t.Fatalf("a record of %d bytes", len(whole))
	}
	for n := range len(whole) {
		b := append([]byte(nil), whole[:n]...)
		if _, err := DecodeSample(b); !errors.Is(err, ErrMalformed) {
			t.Errorf("%d of %d bytes: %v", n, len(whole), err)
		}
	}
	if _, err := DecodeSample(whole); err != nil {
		t.Error(err)
	}
}

func TestDecodeSampleOfWrongCounts(t *testing.T) {
	const counts = 4*4 + 10*8 + frameSize + 3*8 // offset of n_kernel, n_stack, n_frames, n_context
	for i, name := range []string{"kernel", "stack", "frames", "context"} {
		b := event(nil, nil, nil, "")
		binary.LittleEndian.PutUint16(b[counts+2*i:], 0xffff)
		if _, err := DecodeSample(b); !errors.Is(err, ErrMalformed) {
			t.Errorf("65535 %s: %v", name, err)
		}
		b = append(b, make([]byte, 0xffff*frameSize)...)
		if _, err := DecodeSample(b); err != nil {
			t.Errorf("65535 %s that are there: %v", name, err)
		}
	}
}

func TestDecodeSampleNotAligned(t *testing.T) {
	b := make([]byte, 8+headerSize)
	for i := range 8 {
		want := uintptr(unsafe.Pointer(&b[i]))%8 == 0
		if _, err := DecodeSample(b[i:]); (err == nil) != want {
			t.Errorf("offset %d: %v", i, err)
		}
	}
}

func TestThreadName(t *testing.T) {
	for _, want := range []string{"", "a", "sixteen bytes ok", "libuv-worker"} {
		s := Sample{Sample: &bpf.Sample{}}
		for i, c := range []byte(want) {
			s.Comm[i] = int8(c)
		}
		if got := s.ThreadName(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	s := Sample{Sample: &bpf.Sample{Comm: [16]int8{-61, -87}}} // é in UTF-8
	if s.ThreadName() != "é" {
		t.Errorf("%q", s.ThreadName())
	}
}

func TestContextRecords(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     []string
		err      bool
	}{
		{"none", "", nil, false},
		{"two", "\x01\x04\x02\x00hi\x09\xff\x00\x00", []string{"1 4 hi", "9 255 "}, false},
		{"header cut", "\x09\xff\x00\x00\x01", []string{"9 255 "}, true},
		{"data cut", "\x01\x04\x03\x00hi", nil, true},
		{"longest length", "\x01\x04\xff\xffhi", nil, true},
		{
			"length in both bytes", "\x01\x00\x00\x01" + strings.Repeat("x", 256),
			[]string{"1 0 " + strings.Repeat("x", 256)}, false,
		},
	} {
		s := Sample{Context: []byte(c.in)}
		var got []string
		err := s.ContextRecords(func(kind, label uint8, data []byte) {
			got = append(got, number(kind)+" "+number(label)+" "+string(data))
		})
		if diff := cmp.Diff(c.want, got); diff != "" || errors.Is(err, ErrMalformed) != c.err {
			t.Errorf("%s: %v %s", c.name, err, diff)
		}
	}
}

func number(n uint8) string {
	digits := string('0' + rune(n%10))
	if n < 10 {
		return digits
	}
	return number(n/10) + digits
}

func TestDecodeLifecycle(t *testing.T) {
	b := []byte{3, 0, 0, 0, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 2}
	l, err := decodeLifecycle(b)
	if err != nil || l.Type != bpf.RecordExit || l.Pid != 263 || l.Time != 2<<56+1 {
		t.Errorf("%+v, %v", l, err)
	}
	if _, err := decodeLifecycle(b[:15]); !errors.Is(err, ErrMalformed) {
		t.Errorf("15 bytes: %v", err)
	}
}

func FuzzDecodeSample(f *testing.F) {
	f.Add(event(nil, nil, nil, ""))
	f.Add(event([]uint64{1}, [][7]uint64{{1}, {2}}, []uint64{3, 4}, "\x01\x04\x02\x00hi"))
	f.Add(event(nil, nil, nil, "")[:100])
	f.Fuzz(func(t *testing.T, b []byte) {
		b = aligned(b)
		s, err := DecodeSample(b)
		if err != nil {
			return
		}
		used := headerSize + 8*(len(s.Kernel)+len(s.Stack)) + frameSize*len(s.Frames) + len(s.Context)
		if used > len(b) {
			t.Fatalf("%d bytes of %d", used, len(b))
		}
		var sum byte // touch all of it
		for _, n := range slices.Concat(s.Kernel, s.Stack) {
			sum += byte(n)
		}
		for _, x := range s.Frames {
			sum += byte(x.Kind)
		}
		total := 0
		s.ContextRecords(func(_, _ uint8, data []byte) { total += 4 + len(data) })
		if total > len(s.Context) {
			t.Fatalf("records of %d bytes in %d", total, len(s.Context))
		}
		s.ThreadName()
	})
}

func FuzzContextRecords(f *testing.F) {
	f.Add([]byte("\x01\x04\x02\x00hi\x09\xff\x00\x00"))
	f.Add([]byte("\x01\x04\xff\xff"))
	f.Fuzz(func(t *testing.T, b []byte) {
		s := Sample{Context: b}
		var back []byte
		err := s.ContextRecords(func(kind, label uint8, data []byte) {
			back = append(binary.LittleEndian.AppendUint16(append(back, kind, label), uint16(len(data))), data...)
		})
		if string(back) != string(b[:len(back)]) || (err == nil) != (len(back) == len(b)) {
			t.Fatalf("%x of %x, %v", back, b, err)
		}
	})
}

// aligned copies bytes to where a ring buffer would have them.
func aligned(b []byte) []byte {
	words := make([]uint64, len(b)/8+1)
	to := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), len(b))
	copy(to, b)
	return to
}

// TestTableSlots: the files of one user's processes do not take all tables, nor all of what they may take.
func TestTableSlots(t *testing.T) {
	const one, other = procs.User(1), procs.User(2)
	s := newTableSlots(8 * int64(bpf.MaxTables))
	most := uint32(bpf.MaxTables-1) * 3 / 4
	for want := uint32(1); want <= most; want++ {
		if got, err := s.take(one, 8); got != want || err != nil {
			t.Fatalf("slot %d, %v, want %d", got, err, want)
		}
	}
	if n, err := s.take(one, 4); err == nil || !strings.Contains(err.Error(), "1023 files") {
		t.Errorf("slot %d of none, %v", n, err)
	}
	if n, err := s.take(other, 8*int(bpf.MaxTables)/4); err == nil || !strings.Contains(err.Error(), "2048 bytes") {
		t.Errorf("slot %d, %v, for all bytes that are left", n, err)
	}
	if n, err := s.take(other, 8); n != most+1 || err != nil {
		t.Errorf("slot %d, %v, for another user's files", n, err)
	}
	s.release(500)
	for want := most + 2; want < uint32(bpf.MaxTables); want++ { // a number is used again as late as possible
		s.release(want - 1)
		if n, err := s.take(other, 8); n != want || err != nil {
			t.Fatalf("slot %d, %v, want %d", n, err, want)
		}
	}
	s.release(uint32(bpf.MaxTables) - 1)
	if n, err := s.take(one, 8); n != 500 || err != nil {
		t.Errorf("slot %d, %v, want the free one", n, err)
	}
}
