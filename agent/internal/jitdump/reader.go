package jitdump

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// ErrPartial is the error of a file whose last record is not complete: what writes it has not come further, or was
// killed.
var ErrPartial = errors.New("the last record is not complete")

// Reader reads a file of either byte order. It is not safe for concurrent use.
type Reader struct {
	Header
	// From reads the file from a byte on; nil: it does not go on there. With it only the beginning of long records is
	// read, so that Code.Bytes are not whole, and lines of more than maxDebug bytes are left out.
	From func(at int64) io.Reader
	Left int64 // records whose lines were left out

	records int

	r     io.Reader
	order binary.ByteOrder
	at    int64  // in the file
	next  int64  // where the record begins that Next has not read yet
	size  int    // of the record at hand, behind its prefix
	lines []Line // for the code at linesOf, which comes next
	of    uint64
}

// maxRecords bounds the records of a file that is read with From.
const maxRecords = 1 << 22

var errRecords = fmt.Errorf("jitdump: more than %d records", maxRecords)

// Record is what a record says: one of the fields is set.
type Record struct {
	Code *Code
	Move *Move
	End  *End
}

// End says that from Time on there is no code any more: JIT_CODE_CLOSE.
type End struct {
	Time uint64
}

// NewReader reads the header of a file.
func NewReader(r io.Reader) (*Reader, error) {
	var b [headerSize]byte
	if n, err := io.ReadFull(r, b[:]); err != nil {
		return nil, fmt.Errorf("jitdump: header: %w (%d of %d bytes)", err, n, headerSize)
	}
	d := &Reader{r: r, at: headerSize}
	for _, order := range orders {
		if order.Uint32(b[:]) == magic {
			d.order = order
		}
	}
	if d.order == nil {
		return nil, fmt.Errorf("jitdump: magic number %x: no such file", b[:4])
	}
	if v := d.order.Uint32(b[4:]); v != version {
		return nil, fmt.Errorf("jitdump: version %d: only %d is known", v, version)
	}
	size := d.order.Uint32(b[8:])
	if size < headerSize || size > 1<<16 {
		return nil, fmt.Errorf("jitdump: header of %d bytes", size)
	}
	d.Machine, d.PID, d.Time = d.order.Uint32(b[12:]), d.order.Uint32(b[20:]), d.order.Uint64(b[24:])
	d.Ticks = d.order.Uint64(b[32:])&flagTicks != 0
	_, err := d.read(int(size - headerSize))
	d.next = d.at
	return d, err
}

// At returns where in the file the record begins that Next has not read yet.
func (d *Reader) At() int64 { return d.next }

// Continue goes on with r, which begins At. The file has grown: Next said ErrPartial or io.EOF.
func (d *Reader) Continue(r io.Reader) { d.r, d.at = r, d.next }

// Next reads up to the next piece of code, move or end. It skips records of other kinds. The error is io.EOF at the
// end of the file, ErrPartial, or says where the file contradicts itself or goes over a limit.
func (d *Reader) Next() (Record, error) {
	for {
		from := d.at
		if d.records++; d.From != nil && d.records > maxRecords {
			return Record{}, errRecords
		}
		kind, time, b, err := d.record()
		if err != nil {
			return Record{}, err
		}
		d.next = d.at
		var r Record
		switch kind {
		case kindDebug:
			err = d.debug(b)
		case kindLoad:
			r.Code, err = d.load(time, b)
		case kindMove:
			r.Move, err = d.move(time, b)
		case kindClose:
			r.End = &End{time}
		}
		if err != nil {
			return Record{}, fmt.Errorf("jitdump: record at byte %d: %w", from, err)
		}
		if r != (Record{}) {
			return r, nil
		}
	}
}

// record reads one record of any kind.
func (d *Reader) record() (kind uint32, time uint64, b []byte, err error) {
	prefix, err := d.read(prefixSize)
	if errors.Is(err, ErrPartial) && len(prefix) == 0 {
		return 0, 0, nil, io.EOF
	}
	if err != nil {
		return 0, 0, nil, err
	}
	size := d.order.Uint32(prefix[4:])
	if size < prefixSize || size > maxRecord {
		return 0, 0, nil, fmt.Errorf("jitdump: record at byte %d: %d bytes", d.at-prefixSize, size)
	}
	kind, time = d.order.Uint32(prefix), d.order.Uint64(prefix[8:])
	b, err = d.body(kind, int(size-prefixSize))
	return kind, time, b, err
}

// Of a record that is not read whole, so many bytes are.
const (
	maxHead  = loadSize + maxName + probed
	maxDebug = 1 << 20
)

// body reads a record behind its prefix, or its beginning.
func (d *Reader) body(kind uint32, size int) ([]byte, error) {
	most := maxHead
	if kind == kindDebug {
		most = maxDebug
	}
	if d.size = size; d.From == nil || size <= most {
		return d.read(size)
	}
	if kind == kindDebug {
		most = 0
		d.Left++
	}
	b, err := d.read(most)
	if err != nil {
		return nil, err
	}
	rest := d.From(d.at + int64(size-most))
	if rest == nil {
		return nil, ErrPartial
	}
	d.r, d.at = rest, d.at+int64(size-most)
	return b, nil
}

// read reads so many bytes, and takes no more memory than the file has.
func (d *Reader) read(n int) ([]byte, error) {
	var b bytes.Buffer
	b.Grow(min(n, 1<<16))
	got, err := io.CopyN(&b, d.r, int64(n))
	d.at += got
	if errors.Is(err, io.EOF) {
		err = ErrPartial
	}
	return b.Bytes(), err
}

// debug keeps the lines for the code that follows.
func (d *Reader) debug(b []byte) error {
	if len(b) == 0 && d.size > maxDebug {
		d.lines = nil
		return nil
	}
	if len(b) < debugSize {
		return fmt.Errorf("lines in %d bytes", len(b))
	}
	d.of, d.lines = d.order.Uint64(b), nil
	n := d.order.Uint64(b[8:])
	if b = b[debugSize:]; n > maxLines || n > uint64(len(b)/(entrySize+1)) {
		return fmt.Errorf("%d lines in %d bytes", n, len(b))
	}
	files := map[string]string{} // each name once in memory
	for i := range int(n) {
		if len(b) < entrySize {
			return fmt.Errorf("line %d of %d is cut off", i, n)
		}
		l := Line{Address: d.order.Uint64(b), Line: int(int32(d.order.Uint32(b[8:]))),
			Column: int(int32(d.order.Uint32(b[12:])))}
		name, rest, err := text(b[entrySize:])
		if err != nil {
			return fmt.Errorf("file of line %d of %d: %w", i, n, err)
		}
		if l.File = name; name == sameFile && i > 0 {
			l.File = d.lines[i-1].File
		}
		if known, ok := files[l.File]; ok {
			l.File = known
		}
		files[l.File] = l.File
		d.lines, b = append(d.lines, l), rest
	}
	return nil
}

func (d *Reader) load(time uint64, b []byte) (*Code, error) {
	if len(b) < loadSize {
		return nil, fmt.Errorf("code in %d bytes", len(b))
	}
	c := &Code{Time: time, TID: d.order.Uint32(b[4:]), Address: d.order.Uint64(b[16:]), Index: d.order.Uint64(b[32:])}
	size := d.order.Uint64(b[24:])
	var err error
	if c.Name, b, err = text(b[loadSize:]); err != nil {
		return nil, fmt.Errorf("name: %w", err)
	}
	left := uint64(d.size - loadSize - len(c.Name) - 1)
	if size > MaxCode || size > left || c.Address > c.Address+size {
		return nil, fmt.Errorf("code of %d bytes at 0x%x, of which %d are there", size, c.Address, left)
	}
	if c.Bytes = b[:min(size, uint64(len(b)))]; uint64(len(c.Bytes)) < size {
		c.Whole = size
	}
	if d.of == c.Address {
		c.Lines = d.lines
	}
	d.lines = nil
	return c, nil
}

func (d *Reader) move(time uint64, b []byte) (*Move, error) {
	if len(b) < moveSize {
		return nil, fmt.Errorf("move in %d bytes", len(b))
	}
	return &Move{Time: time, From: d.order.Uint64(b[16:]), Address: d.order.Uint64(b[24:]),
		Size: d.order.Uint64(b[32:]), Index: d.order.Uint64(b[40:])}, nil
}

// text takes a name that ends with a zero from the front.
func text(b []byte) (name string, rest []byte, err error) {
	i := bytes.IndexByte(b[:min(len(b), maxName)], 0)
	if i < 0 {
		return "", nil, fmt.Errorf("no end within %d bytes", min(len(b), maxName))
	}
	return string(b[:i]), b[i+1:], nil
}
