package pprof

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
)

// maxBytes limits what is read, in bytes without gzip.
const maxBytes = 512 << 20

// unzipped returns a reader of a file, gzipped or not, that fails where it has more than so many bytes.
func unzipped(from io.Reader, limit int64) (*bufio.Reader, error) {
	plain := bufio.NewReader(&limitedReader{from, limit, limit})
	start, err := plain.Peek(2)
	if !bytes.Equal(start, []byte{0x1f, 0x8b}) {
		if err == io.EOF {
			err = nil // reading has it
		}
		return plain, err
	}
	zip, err := gzip.NewReader(plain)
	if err != nil {
		return nil, err
	}
	return bufio.NewReader(&limitedReader{zip, limit, limit}), nil
}

// limitedReader fails at the first byte beyond a limit.
type limitedReader struct {
	from        io.Reader
	left, limit int64
}

func (r *limitedReader) Read(to []byte) (int, error) {
	n, err := r.from.Read(to[:min(int64(len(to)), r.left+1)])
	if r.left -= int64(n); r.left < 0 {
		return 0, fmt.Errorf("a profile of more than %d bytes", r.limit)
	}
	return n, err
}
