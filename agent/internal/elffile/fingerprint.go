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
}

// run is a number of pieces, one after the other.
type run struct{ first, count uint32 }

// fingerprint returns that of the pieces that were read.
func (s *snapshot) fingerprint() fingerprint {
	fp := fingerprint{size: s.size}
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

// matches reports whether a file of a size has the bytes that the fingerprint is of.
func (fp *fingerprint) matches(file io.ReaderAt, size int64) bool {
	if size != fp.size {
		return false
	}
	sum, err := fp.sum(file)
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

const (
	// maxHashers bounds the goroutines that hash one file.
	maxHashers = 4
	// hashedTogether is how many pieces are read at a time to be hashed: each read takes a goroutine on a thread of its
	// own (procs.Timed).
	hashedTogether = 8
)

// hashPieces hashes pieces of a file on several CPUs.
func hashPieces(file io.ReaderAt, size int64, numbers []uint32) ([][sha256.Size]byte, error) {
	sums := make([][sha256.Size]byte, len(numbers))
	var next atomic.Int64 // of those that are read together
	var workers sync.WaitGroup
	var failed error
	var once sync.Once
	for range min(maxHashers, runtime.NumCPU(), (len(numbers)+hashedTogether-1)/hashedTogether) {
		workers.Go(func() {
			defer priority.Background()()
			buffer := make([]byte, hashedTogether*pieceSize)
			for {
				from := int(next.Add(1)-1) * hashedTogether
				if from >= len(numbers) {
					return
				}
				to := min(from+hashedTogether, len(numbers))
				if err := hashRuns(file, size, numbers[from:to], sums[from:to], buffer); err != nil {
					once.Do(func() { failed = err })
					return
				}
			}
		})
	}
	workers.Wait()
	return sums, failed
}

// hashRuns hashes a few pieces of a file. It reads those that follow each other at once, into a buffer for all of them.
func hashRuns(file io.ReaderAt, size int64, numbers []uint32, sums [][sha256.Size]byte, buffer []byte) error {
	for len(numbers) > 0 {
		n := 1
		for n < len(numbers) && numbers[n] == numbers[0]+uint32(n) {
			n++
		}
		start := int64(numbers[0]) * pieceSize
		b := buffer[:max(0, min(int64(n)*pieceSize, size-start))]
		if got, err := file.ReadAt(b, start); got < len(b) {
			return err
		}
		for i := range n {
			piece := b[min(i*pieceSize, len(b)):]
			sums[i] = sha256.Sum256(piece[:min(pieceSize, len(piece))])
		}
		numbers, sums = numbers[n:], sums[n:]
	}
	return nil
}
