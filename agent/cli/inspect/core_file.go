package inspect

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/hotspan/hotspan/v8/target/core"
)

// compressed are the first bytes of compressed files, and what makes them plain; nil: hotspan cannot.
var compressed = []struct {
	magic, by string
	open      func(io.Reader) (io.Reader, error)
}{
	{"\x28\xb5\x2f\xfd", "zstd", func(r io.Reader) (io.Reader, error) {
		return zstd.NewReader(r, zstd.WithDecoderMaxWindow(maxWindow))
	}},
	{"\x1f\x8b", "gzip", func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }},
	{"\x04\x22\x4d\x18", "lz4", nil},
	{"\xfd7zX", "xz", nil},
}

// maxWindow bounds the memory that decompressing may take, in bytes: zstd --long has this much.
const maxWindow = 128 << 20

// openCore opens a core file, a compressed one too. The caller closes the file.
func openCore(name string) (*os.File, *core.Core, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	fail := func(err error) (*os.File, *core.Core, error) {
		file.Close()
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	info, err := file.Stat()
	if err != nil {
		return fail(err)
	}
	if !info.Mode().IsRegular() {
		return fail(errors.New("not a regular file"))
	}
	size := info.Size()
	head := make([]byte, 4)
	_, _ = file.ReadAt(head, 0) // what is shorter is no core
	for _, c := range compressed {
		if !strings.HasPrefix(string(head), c.magic) {
			continue
		}
		if c.open == nil {
			return fail(fmt.Errorf("it is compressed: %s -d < %s > core", c.by, filepath.Base(name)))
		}
		plain, n, err := decompress(file, c.open)
		if err != nil {
			return fail(fmt.Errorf("decompress by %s: %w", c.by, err))
		}
		file.Close()
		file, size = plain, n
		break
	}
	c, err := core.Open(file, size)
	if err != nil {
		return fail(err)
	}
	return file, c, nil
}

// maxCore bounds what a compressed core may grow to, in bytes.
const maxCore = 1 << 38

var errCoreSize = fmt.Errorf("more than %d GiB", maxCore>>30)

// decompress writes what is in a file into another one, without a name, in the folder for temporary files: memory is
// read from a core in any order. It returns that and its size.
func decompress(from io.Reader, open func(io.Reader) (io.Reader, error)) (plain *os.File, size int64, err error) {
	r, err := open(from)
	if err != nil {
		return nil, 0, err
	}
	plain, err = os.CreateTemp("", "hotspan-core-*")
	if err != nil {
		return nil, 0, err
	}
	if err = os.Remove(plain.Name()); err == nil {
		size, err = copySparse(plain, io.LimitReader(r, maxCore+1))
	}
	if err == nil && size > maxCore {
		err = errCoreSize
	}
	if err != nil {
		plain.Close()
		return nil, 0, err
	}
	return plain, size, nil
}

// copySparse copies to an empty file, and leaves out blocks of zeros, of which a core has many: they take no disk. What
// was cut off ends there, as a core does that was.
func copySparse(to *os.File, from io.Reader) (size int64, err error) {
	block := make([]byte, 64<<10)
	zeros := make([]byte, len(block))
	for {
		n, err := io.ReadFull(from, block)
		if !bytes.Equal(block[:n], zeros[:n]) {
			if _, err := to.WriteAt(block[:n], size); err != nil {
				return size, err
			}
		}
		size += int64(n)
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return size, to.Truncate(size)
		case err != nil:
			return size, err
		}
	}
}
