package jitdump

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/procs"
)

// now is CLOCK_MONOTONIC in nanoseconds.
func now() int64 {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &t)
	return t.Nano()
}

// writer is this process as one that writes a jitdump.
type writer struct {
	t    *testing.T
	file *os.File
	code []byte // in memory
	at   uint64 // its address
	said bytes.Buffer
}

// newWriter makes an empty file, maps it, and gives Names that know it.
func newWriter(t *testing.T, v8 bool) (*writer, *Names) {
	t.Helper()
	pid := os.Getpid()
	file, err := os.Create(filepath.Join(t.TempDir(), fmt.Sprintf("jit-%d.dump", pid)))
	if err != nil {
		t.Fatal(err)
	}
	page, err := unix.Mmap(int(file.Fd()), 0, 4096, unix.PROT_READ|unix.PROT_EXEC, unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	code, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	for i := range code {
		code[i] = byte(i*i>>3 + i)
	}
	w := &writer{t: t, file: file, code: code, at: uint64(uintptr(unsafe.Pointer(&code[0])))}
	names := NewNames(Owner{pid, pid, v8}, slog.New(slog.NewTextHandler(&w.said, nil)))
	names.wait = time.Minute // the machine may be busy
	maps, err := procs.Maps(pid)
	if err != nil {
		t.Fatal(err)
	}
	names.Mapped(maps)
	t.Cleanup(func() {
		names.Close()
		file.Close()
		unix.Munmap(page)
		unix.Munmap(code)
	})
	return w, names
}

func (w *writer) write(b []byte) {
	w.t.Helper()
	if _, err := w.file.Write(b); err != nil {
		w.t.Fatal(err)
	}
}

func (w *writer) header() fileHeader {
	return fileHeader{0x4a695444, 1, 40, 62, 0, uint32(os.Getpid()), uint64(now()), 0}
}

// load is a record of 64 bytes at an offset in memory.
func (w *writer) load(name string, offset uint64, time int64) []any {
	at := w.at + offset
	return []any{recordHeader{0, 0, uint64(time)}, loadRecord{1, 1, at, at, 64, offset}, name + "\x00",
		string(w.code[offset:][:64])}
}

// TestNames: a piece of code has its name when the last byte of its record is there.
func TestNames(t *testing.T) {
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		w, names := newWriter(t, false)
		header := w.header()
		first := encode(t, order, header, w.load("first", 0, now()))
		all := encode(t, order, header, w.load("first", 0, now()), w.load("second", 64, now()))
		for i := range all {
			w.write(all[i : i+1])
			for offset, whole := range map[uint64]int{3: len(first), 127: len(all)} {
				at := now()
				place, ok := names.Find(w.at+offset, at, at)
				want := map[uint64]string{3: "first", 127: "second"}[offset]
				if ok != (i+1 >= whole) || ok && (place.Function != want || place.Dump != w.file.Name()) {
					t.Fatalf("%v, %d of %d bytes: %+v, %v", order, i+1, len(all), place, ok)
				}
			}
		}
		if _, ok := names.Find(w.at+128, now(), now()); ok {
			t.Error("a name behind the last piece")
		}
		if w.said.Len() > 0 {
			t.Error(&w.said)
		}
	}
}

// TestOtherBytes: a name does not hold for other code, of which the file says nothing, but it does if some of the bytes
// have changed; and when the file says that other code is there now, the name holds for the time before.
func TestOtherBytes(t *testing.T) {
	w, names := newWriter(t, false)
	before := now()
	w.write(encode(t, binary.LittleEndian, w.header(), w.load("f", 0, now())))
	loaded := now()
	for _, c := range []struct {
		changed int
		want    bool
	}{{0, true}, {8, true}, {40, false}} {
		for i := range c.changed {
			w.code[i] ^= 0xff
		}
		at := now()
		if _, ok := names.Find(w.at, at, at); ok != c.want {
			t.Errorf("with %d other bytes: %v", c.changed, ok)
		}
	}
	w.write(encode(t, binary.LittleEndian, w.header(), w.load("g", 0, now()))[40:])
	written := now()
	for _, c := range []struct {
		time int64
		want string
	}{{written, "g"}, {loaded, "f"}, {before, ""}} {
		if place, _ := names.Find(w.at, c.time, written); place.Function != c.want {
			t.Errorf("%+v, want %q", place, c.want)
		}
	}
}

// TestLeftFiles: a file that is of no use is left, which is said once.
func TestLeftFiles(t *testing.T) {
	bad := func(change func(*fileHeader)) func(*writer) []byte {
		return func(w *writer) []byte {
			h := w.header()
			change(&h)
			return encode(w.t, binary.LittleEndian, h, w.load("f", 0, now()))
		}
	}
	for _, c := range []struct {
		what, said string
		v8         bool
		file       func(*writer) []byte
	}{
		{"other process", "another process has written it", false, bad(func(h *fileHeader) { h.PID++ })},
		{"other processor", "of another kind of processor", false, bad(func(h *fileHeader) { h.Machine = 183 })},
		{"ticks", "not those of CLOCK_MONOTONIC", false, bad(func(h *fileHeader) { h.Flags = 1 })},
		{"no jitdump", "no such file", false, bad(func(h *fileHeader) { h.Magic = 7 })},
		{"future", "not those of CLOCK_MONOTONIC", false, func(w *writer) []byte {
			return encode(w.t, binary.LittleEndian, w.header(), w.load("f", 0, now()+1e12))
		}},
		{"garbage", "record at byte", false, func(w *writer) []byte {
			return append(bad(func(*fileHeader) {})(w), strings.Repeat("\x01\x00\x00\x00", 10)...)
		}},
		{"V8's", "", true, func(w *writer) []byte {
			return encode(w.t, binary.LittleEndian, w.header(), w.load("JS:*f", 0, now()))
		}},
	} {
		t.Run(c.what, func(t *testing.T) {
			w, names := newWriter(t, c.v8)
			w.write(c.file(w))
			for range 2 {
				if place, ok := names.Find(w.at, now(), now()); ok {
					t.Errorf("%+v", place)
				}
			}
			said := w.said.String()
			if names.Any() || strings.Count(said, "\n") != min(len(c.said), 1) || !strings.Contains(said, c.said) {
				t.Errorf("still read: %v; said %s", names.Any(), said)
			}
		})
	}
}

// TestShrunk: a file that becomes shorter is left, and the names that it gave too.
func TestShrunk(t *testing.T) {
	w, names := newWriter(t, true)
	w.write(encode(t, binary.LittleEndian, w.header(), w.load("f", 0, now()), w.load("JS:f", 64, now())))
	if place, ok := names.Find(w.at, now(), now()); !ok || place.Function != "f" {
		t.Errorf("%+v, %v", place, ok)
	}
	if err := w.file.Truncate(50); err != nil {
		t.Fatal(err)
	}
	if place, ok := names.Find(w.at, now(), now()); ok || !strings.Contains(w.said.String(), "become shorter") {
		t.Errorf("%+v, said %s", place, &w.said)
	}
}

// TestOthersFiles: files that are named after another process, are not mapped as code, or have another name, are not
// opened; of too many this is said.
func TestOthersFiles(t *testing.T) {
	var said bytes.Buffer
	names := NewNames(Owner{PID: os.Getpid(), Inner: 7}, slog.New(slog.NewTextHandler(&said, nil)))
	names.Mapped([]procs.Mapping{
		{Exec: true, Inode: 1, Path: "/tmp/jit-8.dump"}, {Exec: true, Inode: 2, Path: "/tmp/jit-7.dumps"},
		{Inode: 3, Path: "/tmp/jit-7.dump"}, {Exec: true, Inode: 4, Path: "/tmp/xjit-7.dump"},
	})
	if names.Any() || said.Len() > 0 {
		t.Errorf("%v, said %s", names.Any(), &said)
	}
	for i := range uint64(100) {
		names.Mapped([]procs.Mapping{{Exec: true, Inode: 10 + i, Path: "/tmp/jit-7.dump (deleted)"}})
	}
	for range 2 {
		names.Find(0, now(), now())
	}
	if text := said.String(); strings.Count(text, "\n") != maxFiles+1 || !strings.Contains(text, "more than 8") {
		t.Error(text)
	}
}
