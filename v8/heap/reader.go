package heap

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/target"
)

// ErrNotFound says that something sought in a heap is not there.
var ErrNotFound = errors.New("not found")

// TypeError says that an object is not what it had to be.
type TypeError struct {
	Object Word
	Got    int // instance type
	Want   string
}

// Error names the object, its instance type and the type that was expected.
func (e *TypeError) Error() string {
	return fmt.Sprintf("object 0x%x: instance type %d, not a %s", uint64(e.Object), e.Got, e.Want)
}

// Reader reads the heap of one process. It is not safe for concurrent use.
type Reader struct {
	mem   io.ReaderAt
	l     *layout.Layout
	buf   [8]byte
	reads int
	work  int
	// streamMap is what FindCode last found as the hidden class of InstructionStreams: most isolates share it.
	streamMap Word
	// What AllSame reads, and where to.
	parts []target.Part
	heads []byte
}

// NewReader reads the memory of a process by the layout of its V8. Offsets of mem are addresses.
func NewReader(mem io.ReaderAt, l *layout.Layout) *Reader {
	return &Reader{mem: mem, l: l}
}

// Layout is what NewReader was given.
func (r *Reader) Layout() *layout.Layout { return r.l }

// Reads is how often memory was read: a caller that follows what a process has in its heap may be led on without end.
func (r *Reader) Reads() int { return r.reads }

// Work is what reading has taken, and decoding what was read, by count: 1 is what the read of a page takes, some 5 µs.
func (r *Reader) Work() int { return r.work }

// AddWork counts work that others have with what they have read, such as to decode it.
func (r *Reader) AddWork(n int) { r.work += n }

// What takes as long as a read, at least: bytes that are read, entries of tables, bytes of text.
// Of two-byte text, which is rare, each takes four times as long.
const (
	bytesOfWork   = 8192
	entriesOfWork = 64
	textOfWork    = 2048
)

// read reads len(b) bytes at an address, and returns how many it has read.
func (r *Reader) read(b []byte, addr uint64) (int, error) {
	r.reads++
	r.work += 1 + len(b)/bytesOfWork
	return r.mem.ReadAt(b, int64(addr))
}

// readNow reads len(b) bytes at an address as they are now, also of memory that keeps what was read, as target.Pages
// does.
func (r *Reader) readNow(b []byte, addr uint64) error {
	mem, ok := r.mem.(target.PartsReader)
	if !ok {
		_, err := r.read(b, addr)
		return err
	}
	r.reads++
	r.work++
	r.parts = append(r.parts[:0], target.Part{At: addr, To: b})
	_, err := mem.ReadParts(r.parts)
	return err
}

// Forget has what follows read as it is now.
func (r *Reader) Forget() {
	if kept, ok := r.mem.(interface{ Forget() }); ok {
		kept.Forget()
	}
}

// Bytes reads n bytes at an address; fewer are an error. The caller bounds n.
func (r *Reader) Bytes(addr uint64, n int) ([]byte, error) {
	b := make([]byte, n)
	_, err := r.read(b, addr)
	return b, err
}

// UpTo reads at most n bytes at an address, and returns those before the first that cannot be read: what follows an
// object may not be mapped.
func (r *Reader) UpTo(addr uint64, n int) []byte {
	b := make([]byte, n)
	got, _ := r.read(b, addr)
	return b[:max(got, 0)]
}

// WordAt reads the word at an address.
func (r *Reader) WordAt(addr uint64) (Word, error) {
	_, err := r.read(r.buf[:8], addr)
	return Word(binary.LittleEndian.Uint64(r.buf[:8])), err
}

// field reads the word of object w that f is the offset of.
func (r *Reader) field(w Word, f layout.Field) (Word, error) {
	at := r.l.At(f)
	if at < 0 {
		return 0, fmt.Errorf("%v of this V8 is not known", f)
	}
	if !w.IsObject() {
		return 0, fmt.Errorf("%v: 0x%x is not a heap object", f, uint64(w))
	}
	return r.WordAt(w.address() + uint64(at))
}

// refers checks that a field of an object still is the word that it was, once what that refers to was read: a
// collection may have moved it meanwhile, and V8 have put any other object where it was. It reads the field as it is
// now.
func (r *Reader) refers(object Word, f layout.Field, was Word) error {
	var b [8]byte
	if err := r.readNow(b[:], object.address()+uint64(r.l.At(f))); err != nil {
		return err
	}
	return same(was, Word(binary.LittleEndian.Uint64(b[:])))
}

// holds does the same for the word at an address, but of memory that keeps what was read. Where objects that it refers
// to are moved in mark-compacts only, the caller looks whether there was one.
func (r *Reader) holds(at uint64, was Word) error {
	now, err := r.WordAt(at)
	if err != nil {
		return err
	}
	return same(was, now)
}

func same(was, now Word) error {
	if now != was {
		return fmt.Errorf("object 0x%x has moved to 0x%x", uint64(was), uint64(now))
	}
	return nil
}

func (r *Reader) u32(w Word, f layout.Field) (uint32, error) {
	at := r.l.At(f)
	if at < 0 || !w.IsObject() {
		return 0, fmt.Errorf("%v of 0x%x: not known or not a heap object", f, uint64(w))
	}
	_, err := r.read(r.buf[:4], w.address()+uint64(at))
	return binary.LittleEndian.Uint32(r.buf[:4]), err
}

// Forwarded returns where an object is now, and its hidden class. While a collection runs, the map word of an object
// that the collector has moved is a forwarding address: the new address, untagged. (src/objects/objects.h, MapWord)
func (r *Reader) Forwarded(w Word) (object, hiddenClass Word, err error) {
	if !w.IsObject() {
		return 0, 0, fmt.Errorf("0x%x is not a heap object", uint64(w))
	}
	m, err := r.WordAt(w.address())
	if err != nil || m.IsObject() {
		return w, m, err
	}
	w = m + 1
	if !w.IsObject() {
		return 0, 0, fmt.Errorf("0x%x has no hidden class", uint64(w))
	}
	m, err = r.WordAt(w.address())
	if err == nil && !m.IsObject() {
		err = fmt.Errorf("0x%x has no hidden class", uint64(w))
	}
	return w, m, err
}

// Type is the instance type of an object, also of one that a running collection has moved.
func (r *Reader) Type(w Word) (int, error) {
	_, m, err := r.Forwarded(w)
	if err != nil {
		return 0, err
	}
	return r.TypeOf(m)
}

// TypeOf is the instance type that a hidden class gives its objects, by V8's numbers, which differ by version: compare
// it with the layout's fields of that name.
func (r *Reader) TypeOf(hiddenClass Word) (int, error) {
	_, err := r.read(r.buf[:2], hiddenClass.address()+uint64(r.l.At(layout.MapInstanceType)))
	return int(binary.LittleEndian.Uint16(r.buf[:2])), err
}

// want checks that an object is of one type.
func (r *Reader) want(w Word, f layout.Field) error {
	got, err := r.Type(w)
	if err != nil {
		return err
	}
	if want := r.l.At(f); want < 0 || got != want {
		return &TypeError{w, got, f.String()}
	}
	return nil
}
