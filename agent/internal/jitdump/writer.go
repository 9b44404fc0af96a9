package jitdump

import (
	"encoding/binary"
	"io"
	"strings"
)

// Writer writes a file, in little endian. It is not safe for concurrent use.
type Writer struct {
	w   io.Writer
	pid uint32
	b   []byte // scratch
}

// NewWriter begins a file. Each record is one Write.
func NewWriter(w io.Writer, h Header) (*Writer, error) {
	var b []byte
	for _, n := range []uint32{magic, version, headerSize, h.Machine, 0, h.PID} {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	b = binary.LittleEndian.AppendUint64(b, h.Time)
	b = binary.LittleEndian.AppendUint64(b, 0) // flags: times are no machine's own
	_, err := w.Write(b)
	return &Writer{w: w, pid: h.PID}, err
}

// Load writes a piece of code, behind its lines. Names are cut to what Reader takes, and control characters in them
// become spaces.
func (w *Writer) Load(c *Code) error {
	if len(c.Lines) > 0 {
		w.begin(kindDebug, c.Time)
		w.u64(c.Address)
		lines := c.Lines[:min(len(c.Lines), maxLines)]
		w.u64(uint64(len(lines)))
		for _, l := range lines {
			w.u64(l.Address)
			w.u32(uint32(l.Line))
			w.u32(uint32(l.Column))
			w.text(l.File)
		}
		if err := w.end(); err != nil {
			return err
		}
	}
	w.begin(kindLoad, c.Time)
	w.u32(w.pid)
	w.u32(c.TID)
	w.u64(c.Address)
	w.u64(c.Address)
	w.u64(uint64(len(c.Bytes)))
	w.u64(c.Index)
	w.text(c.Name)
	w.b = append(w.b, c.Bytes...)
	return w.end()
}

// Close says that no code comes any more. It does not close the file.
func (w *Writer) Close(time uint64) error {
	w.begin(kindClose, time)
	return w.end()
}

func (w *Writer) begin(kind uint32, time uint64) {
	w.b = w.b[:0]
	w.u32(kind)
	w.u32(0) // the size, which end knows
	w.u64(time)
}

func (w *Writer) end() error {
	binary.LittleEndian.PutUint32(w.b[4:], uint32(len(w.b)))
	_, err := w.w.Write(w.b)
	return err
}

func (w *Writer) u32(n uint32) { w.b = binary.LittleEndian.AppendUint32(w.b, n) }
func (w *Writer) u64(n uint64) { w.b = binary.LittleEndian.AppendUint64(w.b, n) }

func (w *Writer) text(s string) { w.b = append(append(w.b, Text(s)...), 0) }

// Text is a name as files have it: valid UTF-8 without control characters, of at most 4,095 bytes.
func Text(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return ' '
		}
		return r
	}, s)
	return strings.ToValidUTF8(s[:min(len(s), maxName-1)], "")
}
