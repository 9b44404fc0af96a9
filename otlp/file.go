package otlp

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/hotspan/hotspan/pprofx"
)

// A file of snapshots is one zstd frame (RFC 8878) for each, with a checksum: what zstd -d makes of a frame is one
// message of Profiles. A file that ends within a frame has all snapshots before it.

// Limits of a frame, in bytes. A busy snapshot of 10 s has some 100 KB.
const (
	maxFrame   = 256 << 20
	maxMessage = 1 << 30
)

// Writer writes snapshots to a file, each as soon as it comes. It is a pprofx.Writer.
type Writer struct {
	to   io.Writer
	by   Agent
	left pprofx.LeftOut
}

// NewWriter returns a Writer of snapshots that were taken by an Agent.
func NewWriter(to io.Writer, by Agent) *Writer { return &Writer{to: to, by: by} }

// Add writes a snapshot with one call of Write.
func (w *Writer) Add(s *pprofx.Snapshot) error {
	frame, err := Compress(s, w.by)
	if err != nil {
		return err
	}
	w.left.Add(s.LeftOut())
	_, err = w.to.Write(frame)
	return err
}

// LeftOut counts samples of which a part is not in the file.
func (w *Writer) LeftOut() pprofx.LeftOut { return w.left }

// Close does nothing: a file has no end of its own.
func (w *Writer) Close() error { return nil }

// Compress returns the frame of a snapshot. The error is that of its Check.
func Compress(s *pprofx.Snapshot, by Agent) ([]byte, error) {
	message, err := Encode(s, by)
	if err != nil {
		return nil, err
	}
	return compressor.EncodeAll(message, nil), nil
}

// compressor and decompressor may be used by any number of goroutines at the same time.
var (
	compressor   = must(zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true)))
	decompressor = must(zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxMessage)))
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err) // the options are wrong
	}
	return v
}

// Decompress returns the message in a frame.
func Decompress(frame []byte) ([]byte, error) { return decompressor.DecodeAll(frame, nil) }

// Reader reads the snapshots of a file. It is not safe for concurrent use.
type Reader struct {
	from *bufio.Reader
	read int // frames
}

// NewReader returns a Reader.
func NewReader(from io.Reader) *Reader { return &Reader{from: bufio.NewReader(from)} }

// Next returns the next snapshot, or io.EOF after the last. io.ErrUnexpectedEOF means that the last is cut off.
func (r *Reader) Next() (*pprofx.Snapshot, error) {
	if _, err := r.from.Peek(1); err != nil {
		return nil, err
	}
	s, err := r.next()
	if err != nil {
		return nil, fmt.Errorf("snapshot %d: %w", r.read+1, err)
	}
	r.read++
	return s, nil
}

func (r *Reader) next() (*pprofx.Snapshot, error) {
	frame, err := readFrame(r.from)
	if err != nil {
		return nil, err
	}
	message, err := Decompress(frame)
	if err != nil {
		return nil, fmt.Errorf("it is damaged: %w", err)
	}
	return Decode(message)
}

// readFrame returns the bytes of the next zstd frame. It has no length of its own: its blocks tell (RFC 8878, 3.1.1).
func readFrame(from *bufio.Reader) ([]byte, error) {
	start, err := from.Peek(zstd.HeaderMaxSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	var header zstd.Header
	if err := header.Decode(start); err != nil {
		return nil, fmt.Errorf("what is there is none: %w", err)
	}
	if header.Skippable {
		return nil, errors.New("a skippable zstd frame, which holds no snapshot")
	}
	frame, err := extend(nil, from, header.HeaderSize)
	for last := false; !last && err == nil; {
		if frame, err = extend(frame, from, 3); err != nil {
			break
		}
		block := frame[len(frame)-3:]
		n := uint32(block[0]) | uint32(binary.LittleEndian.Uint16(block[1:]))<<8
		size := int(n >> 3)
		if rle := n >> 1 & 3; rle == 1 {
			size = 1
		}
		last = n&1 == 1
		frame, err = extend(frame, from, size)
	}
	if err == nil && header.HasCheckSum {
		frame, err = extend(frame, from, 4)
	}
	return frame, err
}

// extend appends the next n bytes.
func extend(to []byte, from io.Reader, n int) ([]byte, error) {
	if len(to)+n > maxFrame {
		return nil, fmt.Errorf("a zstd frame of more than %d bytes", maxFrame)
	}
	old := len(to)
	to = append(to, make([]byte, n)...)
	if _, err := io.ReadFull(from, to[old:]); err != nil {
		return nil, io.ErrUnexpectedEOF
	}
	return to, nil
}
