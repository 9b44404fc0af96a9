package elffile

import (
	"crypto/sha256"
	"encoding/binary"
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/hotspan/hotspan/agent/internal/priority"
)

// fingerprint identifies what was parsed of a file: all bytes of the pieces that were read, and the file's size. A
// parser that finds the same bytes reads the same pieces and has the same result, so files with one fingerprint are
// parsed once. A build id alone would not do: anyone can write a file with that of another one.
type fingerprint struct {
	size   int64
	pieces []run
	hash   [sha256.Size]byte
	of     original // from which they were read
}

// run is a number of pieces, one after the other.
type run struct{ first, count uint32 }

// fingerprint returns that of the pieces that were read.
func (s *stableFile) fingerprint() fingerprint {
	fp := fingerprint{size: s.size, of: s.original}
	for i, have := range s.have {
		switch last := len(fp.pieces) - 1; {
		case !have:
		case last >= 0 && fp.pieces[last].first+fp.pieces[last].count == uint32(i):
			fp.pieces[last].count++
		default:
			fp.pieces = append(fp.pieces, run{uint32(i), 1})
		}
	}
	fp.hash, _ = fp.sum(s)
	return fp
}

// matches reports whether a file has the bytes that the fingerprint is of. It reads the file itself and not what the
// stableFile has of it: the bytes need not stay.
func (fp *fingerprint) matches(s *stableFile) bool {
	if s.size != fp.size {
		return false
	}
	if fp.of == s.original && fp.of != (original{}) {
		return true
	}
	sum, err := fp.sum(s.file)
	return err == nil && sum == fp.hash
}

// equal reports whether two fingerprints are of the same bytes.
func (fp *fingerprint) equal(other *fingerprint) bool {
	return fp.size == other.size && fp.hash == other.hash
}

// sum hashes the pieces of a file: the size, and the number and the hash of each piece.
func (fp *fingerprint) sum(file io.ReaderAt) (sum [sha256.Size]byte, err error) {
	var numbers []uint32
	for _, r := range fp.pieces {
		for i := range r.count {
			numbers = append(numbers, r.first+i)
		}
	}
	sums, err := hashPieces(file, fp.size, numbers)
	if err != nil {
		return sum, err
	}
	h := sha256.New()
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(fp.size))
	h.Write(b[:])
	for i, n := range numbers {
		binary.LittleEndian.PutUint64(b[:], uint64(n))
		h.Write(b[:])
		h.Write(sums[i][:])
	}
	return [sha256.Size]byte(h.Sum(nil)), nil
}

// pieces are buffers for pieces: *[pieceSize]byte.
var pieces = sync.Pool{New: func() any { return new([pieceSize]byte) }}

// maxHashers bounds the goroutines that hash one file.
const maxHashers = 4

// hashPieces hashes pieces of a file on several CPUs.
func hashPieces(file io.ReaderAt, size int64, numbers []uint32) ([][sha256.Size]byte, error) {
	sums := make([][sha256.Size]byte, len(numbers))
	var next atomic.Int64
	var workers sync.WaitGroup
	var failed error
	var once sync.Once
	for range min(maxHashers, runtime.NumCPU(), len(numbers)) {
		workers.Go(func() {
			defer priority.Background()()
			buffer := pieces.Get().(*[pieceSize]byte)
			defer pieces.Put(buffer)
			for i := next.Add(1) - 1; i < int64(len(numbers)); i = next.Add(1) - 1 {
				start := int64(numbers[i]) * pieceSize
				b := buffer[:max(0, min(pieceSize, size-start))]
				if n, err := file.ReadAt(b, start); n < len(b) {
					once.Do(func() { failed = err })
					return
				}
				sums[i] = sha256.Sum256(b)
			}
		})
	}
	workers.Wait()
	return sums, failed
}
