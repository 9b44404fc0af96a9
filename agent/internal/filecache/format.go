package filecache

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"sync"
)

// A file begins with a magic number, the CRC-32C of all that follows, the length of the version, the number of parts
// and the length of each part; then come the version and the parts.
const (
	magic    = "hotspan\x01"
	headSize = len(magic) + 4 + 4 + 4
	maxParts = 16
	maxSize  = 1 << 30 // bytes of a file
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// errFormat says that a file is not one of these, or is damaged.
var errFormat = errors.New("damaged")

// head returns what a file begins with.
func head(version string, parts [][]byte) []byte {
	b := append([]byte(magic), 0, 0, 0, 0)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(version)))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(parts)))
	for _, p := range parts {
		b = binary.LittleEndian.AppendUint64(b, uint64(len(p)))
	}
	b = append(b, version...)
	sum := crc32.Checksum(b[len(magic)+4:], castagnoli)
	for _, p := range parts {
		sum = crc32.Update(sum, castagnoli, p)
	}
	binary.LittleEndian.PutUint32(b[len(magic):], sum)
	return b
}

// buffers are what files are read through: *[256 << 10]byte.
var buffers = sync.Pool{New: func() any { return new([256 << 10]byte) }}

// open checks a file and returns its parts. The version must be the one that the file was written with.
func open(r io.ReaderAt, size int64, version string) ([]*io.SectionReader, error) {
	b := make([]byte, headSize)
	if _, err := r.ReadAt(b, 0); err != nil || size > maxSize || string(b[:len(magic)]) != magic {
		return nil, errFormat
	}
	sum := binary.LittleEndian.Uint32(b[len(magic):])
	length, n := binary.LittleEndian.Uint32(b[len(magic)+4:]), binary.LittleEndian.Uint32(b[len(magic)+8:])
	if n > maxParts || int(length) != len(version) {
		return nil, errFormat
	}
	b = make([]byte, 8*int(n)+len(version))
	if _, err := r.ReadAt(b, int64(headSize)); err != nil || string(b[8*n:]) != version {
		return nil, errFormat
	}
	at := int64(headSize + len(b))
	var parts []*io.SectionReader
	for i := range n {
		length := binary.LittleEndian.Uint64(b[8*i:])
		if length > uint64(size-at) {
			return nil, errFormat
		}
		parts = append(parts, io.NewSectionReader(r, at, int64(length)))
		at += int64(length)
	}
	if at != size {
		return nil, errFormat
	}
	got := crc32.New(castagnoli)
	all := io.NewSectionReader(r, int64(len(magic)+4), size-int64(len(magic)+4))
	buffer := buffers.Get().(*[256 << 10]byte)
	defer buffers.Put(buffer)
	if _, err := io.CopyBuffer(got, struct{ io.Reader }{all}, buffer[:]); err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	if got.Sum32() != sum {
		return nil, errFormat
	}
	return parts, nil
}
