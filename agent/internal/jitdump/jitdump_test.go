package jitdump

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The structures of Linux's tools/perf/util/jitdump.h, field by field.
type (
	fileHeader struct {
		Magic, Version, TotalSize, Machine, Pad, PID uint32
		Timestamp, Flags                             uint64
	}
	recordHeader struct {
		ID, TotalSize uint32
		Timestamp     uint64
	}
	loadRecord struct {
		PID, TID                           uint32
		VMA, CodeAddr, CodeSize, CodeIndex uint64
	}
	moveRecord struct {
		PID, TID                                           uint32
		VMA, OldCodeAddr, NewCodeAddr, CodeSize, CodeIndex uint64
	}
	debugRecord struct{ CodeAddr, NrEntry uint64 }
	debugEntry  struct {
		Addr            uint64
		LineNo, Discrim uint32
	}
)

// encode is a file of parts: a header, and records that are lists of structures and texts.
func encode(t testing.TB, order binary.ByteOrder, h fileHeader, records ...[]any) []byte {
	t.Helper()
	var out bytes.Buffer
	write := func(b *bytes.Buffer, v any) {
		if s, ok := v.(string); ok {
			b.WriteString(s)
		} else if err := binary.Write(b, order, v); err != nil {
			t.Fatal(err)
		}
	}
	write(&out, h)
	for _, r := range records {
		var b bytes.Buffer
		head := r[0].(recordHeader)
		for _, v := range r[1:] {
			write(&b, v)
		}
		if head.TotalSize == 0 {
			head.TotalSize = uint32(16 + b.Len())
		}
		write(&out, head)
		out.Write(b.Bytes())
	}
	return out.Bytes()
}

var sampleHeader = fileHeader{0x4a695444, 1, 40, 62, 0, 77, 5, 0}

func sampleRecords() [][]any {
	return [][]any{
		{recordHeader{2, 0, 10}, debugRecord{0x1000, 3}, debugEntry{0x1000, 7, 3}, "/a/b.js\x00",
			debugEntry{0x1001, 8, 0}, "\xff\x00", debugEntry{0x1002, 0, 0}, "\x00"},
		{recordHeader{0, 0, 10}, loadRecord{77, 78, 0x1000, 0x1000, 3, 4}, "f é\x00", "\x90\x00\xc3"},
		{recordHeader{4, 0, 10}, "unwinding"},
		{recordHeader{1, 0, 11}, moveRecord{77, 78, 0x2000, 0x1000, 0x2000, 3, 4}},
		{recordHeader{0, 0, 12}, loadRecord{77, 79, 0x1000, 0x1000, 0, 5}, "empty\x00"},
		{recordHeader{3, 0, 13}},
	}
}

var sampleCodes = []Record{
	{Code: &Code{Time: 10, TID: 78, Address: 0x1000, Index: 4, Name: "f é", Bytes: []byte{0x90, 0, 0xc3}, Lines: []Line{
		{0x1000, "/a/b.js", 7, 3}, {0x1001, "/a/b.js", 8, 0}, {0x1002, "", 0, 0}}}},
	{Move: &Move{11, 4, 0x1000, 0x2000, 3}},
	{Code: &Code{Time: 12, TID: 79, Address: 0x1000, Index: 5, Name: "empty", Bytes: []byte{}}},
	{End: &End{13}},
}

func readAll(b []byte) (*Reader, []Record, error) {
	d, err := NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, nil, err
	}
	var all []Record
	for {
		r, err := d.Next()
		if err != nil {
			return d, all, err
		}
		all = append(all, r)
	}
}

func TestReader(t *testing.T) {
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		d, got, err := readAll(encode(t, order, sampleHeader, sampleRecords()...))
		if !errors.Is(err, io.EOF) {
			t.Fatalf("%v: %v", order, err)
		}
		if diff := cmp.Diff(sampleCodes, got); diff != "" || d.Header != (Header{62, 77, 5, false}) {
			t.Errorf("%v: header %+v, want(-) got(+):\n%s", order, d.Header, diff)
		}
	}
}

// TestReaderOfPart: of a file that is being written, all that is whole is read, wherever it ends.
func TestReaderOfPart(t *testing.T) {
	whole := encode(t, binary.LittleEndian, sampleHeader, sampleRecords()...)
	ends := map[int]bool{}
	for i := range sampleRecords() {
		ends[len(encode(t, binary.LittleEndian, sampleHeader, sampleRecords()[:i]...))] = true
	}
	var got []Record
	for n := headerSize; n < len(whole); n++ {
		var err error
		before := len(got)
		_, got, err = readAll(whole[:n])
		if want := map[bool]error{true: io.EOF, false: ErrPartial}[ends[n]]; !errors.Is(err, want) {
			t.Errorf("%d of %d bytes: %v, want %v", n, len(whole), err, want)
		}
		if len(got) < before || len(got) > len(sampleCodes) || len(got) > before && !ends[n] ||
			!cmp.Equal(append([]Record{}, sampleCodes[:len(got)]...), append([]Record{}, got...)) {
			t.Errorf("%d of %d bytes: %d records after %d: %+v", n, len(whole), len(got), before, got)
		}
	}
	if len(got) != len(sampleCodes)-1 {
		t.Errorf("%d records without the last byte, want %d", len(got), len(sampleCodes)-1)
	}
}

// TestReaderOfLies: what contradicts itself is an error that says where, and takes no memory.
func TestReaderOfLies(t *testing.T) {
	load := func(size uint64, rest string) []any {
		return []any{recordHeader{0, 0, 1}, loadRecord{1, 1, 16, 16, size, 1}, rest}
	}
	wrong := sampleHeader
	wrong.Version = 2
	for _, c := range []struct {
		file []byte
		want string
	}{
		{[]byte("\x7fELF" + strings.Repeat("x", 40)), "magic number 7f454c46"},
		{[]byte("JiTD"), "header: unexpected EOF (4 of 40 bytes)"},
		{encode(t, binary.LittleEndian, wrong), "version 2"},
		{encode(t, binary.LittleEndian, sampleHeader, []any{recordHeader{0, 15, 1}}), "record at byte 40: 15 bytes"},
		{encode(t, binary.LittleEndian, sampleHeader, []any{recordHeader{0, 1 << 31, 1}}), "2147483648 bytes"},
		{encode(t, binary.LittleEndian, sampleHeader, load(9, "f\x0012345678")), "code of 9 bytes at 0x10, of which 8"},
		{encode(t, binary.LittleEndian, sampleHeader, load(1<<63, "f\x0012345678")), "of which 8"},
		{encode(t, binary.LittleEndian, sampleHeader, load(0, "name")), "no end within 4 bytes"},
		{encode(t, binary.LittleEndian, sampleHeader, []any{recordHeader{2, 0, 1}, debugRecord{1, 1 << 60}}),
			"1152921504606846976 lines in 0 bytes"},
		{encode(t, binary.LittleEndian, sampleHeader, []any{recordHeader{1, 0, 1}, "short"}), "move in 5 bytes"},
	} {
		if _, _, err := readAll(c.file); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// TestWriter compares with the structures of the specification.
func TestWriter(t *testing.T) {
	var got bytes.Buffer
	w, err := NewWriter(&got, Header{X86_64, 77, 5, false})
	if err != nil {
		t.Fatal(err)
	}
	c := &Code{Time: 10, TID: 78, Address: 0x1000, Index: 4, Name: "f\n\x1b[2J\x00é", Bytes: []byte{0x90, 0, 0xc3},
		Lines: []Line{{0x1000, "/a/b.js", 7, 3}, {0x1002, "", 0, 0}}}
	if err := errors.Join(w.Load(c), w.Close(13)); err != nil {
		t.Fatal(err)
	}
	want := encode(t, binary.LittleEndian, sampleHeader,
		[]any{recordHeader{2, 0, 10}, debugRecord{0x1000, 2}, debugEntry{0x1000, 7, 3}, "/a/b.js\x00",
			debugEntry{0x1002, 0, 0}, "\x00"},
		[]any{recordHeader{0, 0, 10}, loadRecord{77, 78, 0x1000, 0x1000, 3, 4}, "f  [2J é\x00", "\x90\x00\xc3"},
		[]any{recordHeader{3, 0, 13}})
	if diff := cmp.Diff(want, got.Bytes()); diff != "" {
		t.Errorf("want(-) got(+):\n%s", diff)
	}
}

func TestText(t *testing.T) {
	if got := Text(strings.Repeat("é", 4000)); len(got) != 4094 || strings.Trim(got, "é") != "" {
		t.Errorf("%d bytes, ends with %q", len(got), got[len(got)-4:])
	}
	if got := Text("a\xff"); got != "a\ufffd" {
		t.Errorf("%q", got)
	}
}

// FuzzReader: whatever a file has, it is read to an end in bounded memory, and what was read can be written and is the
// same when it is read again.
func FuzzReader(f *testing.F) {
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		f.Add(encode(f, order, sampleHeader, sampleRecords()...))
	}
	if b, err := os.ReadFile("testdata/node-24.dump"); err != nil {
		f.Error(err)
	} else {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		_, all, err := readAll(b)
		if err == nil {
			t.Error("it has no end")
		}
		var out bytes.Buffer
		w, _ := NewWriter(&out, Header{})
		var want []Record
		for _, r := range all {
			if r.Code == nil {
				continue
			}
			c := *r.Code
			if c.Name = Text(c.Name); len(c.Lines) == 0 {
				c.Lines = nil
			}
			for i := range c.Lines {
				c.Lines[i].File = Text(c.Lines[i].File)
			}
			want = append(want, Record{Code: &c})
			if err := w.Load(&c); err != nil {
				t.Fatal(err)
			}
		}
		if _, again, err := readAll(out.Bytes()); !errors.Is(err, io.EOF) {
			t.Errorf("what was written: %v", err)
		} else if diff := cmp.Diff(want, again); diff != "" {
			t.Errorf("want(-) got(+):\n%s", diff)
		}
	})
}
