package procs

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"
)

// lazy answers each read just in time.
type lazy struct{}

func (lazy) ReadAt(b []byte, _ int64) (int, error) {
	time.Sleep(fileTimeout - time.Second)
	return len(b), nil
}

// newLazy reads a lazy file, all of whose time counts.
func newLazy() *Timed {
	p := NewTimed(lazy{})
	p.asleep = func(int) bool { return true }
	return p
}

// TestFileBudget: a file each of whose reads is just in time is not read for hours.
func TestFileBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, p := time.Now(), newLazy()
		for reads := 0; ; reads++ {
			_, err := io.ReadFull(io.NewSectionReader(p, 0, 8), make([]byte, 8))
			if err == nil {
				continue
			}
			took := time.Since(began)
			if !errors.Is(err, ErrSlow) || took < fileBudget || took > fileBudget+fileTimeout {
				t.Errorf("%d reads, %v after %v", reads, err, took)
			}
			return
		}
	})
}

// TestLate: it is known while a file is late, and a file is said to be late while it is still read, once its reads have
// taken a second together.
func TestLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		after := make(chan time.Duration, 2)
		p := newLazy()
		p.WhenLate(func() { after <- time.Since(began) })
		read := make(chan error)
		go func() {
			_, err := p.ReadAt(make([]byte, 8), 0)
			read <- err
		}()
		time.Sleep(lateAfter - time.Millisecond)
		if Late() || len(after) > 0 {
			t.Error("late before the time")
		}
		time.Sleep(checkEvery + 2*time.Millisecond)
		if said := <-after; !Late() || said < lateAfter || said > lateAfter+checkEvery {
			t.Errorf("late: %v, said after %v", Late(), said)
		}
		if err := <-read; err != nil || Late() || p.Err() != nil {
			t.Errorf("%v, late: %v, %v", err, Late(), p.Err())
		}
		go p.ReadAt(make([]byte, 8), 0)
		if said := <-after; said != fileTimeout-time.Second || !Late() {
			t.Errorf("late: %v, said after %v, want at once at the second read", Late(), said)
		}
		time.Sleep(fileTimeout)
	})
}

// slowPages is a file of which each page takes 10 ms.
type slowPages struct{}

func (slowPages) ReadAt(b []byte, _ int64) (int, error) {
	time.Sleep(time.Duration((len(b)+4095)/4096) * 10 * time.Millisecond)
	for i := range b {
		b[i] = 1
	}
	return len(b), nil
}

// TestPieces: a large read is not too slow while the file system goes on, and reads all.
func TestPieces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewTimed(slowPages{})
		p.asleep = func(int) bool { return true }
		began, b := time.Now(), make([]byte, 10<<20+1)
		n, err := p.ReadAt(b, 0)
		if n != len(b) || err != nil || bytes.IndexByte(b, 0) >= 0 {
			t.Errorf("%d bytes of %d, %v", n, len(b), err)
		}
		if took := time.Since(began); took < 2*fileTimeout {
			t.Errorf("it took %v: no read that is too slow as a whole", took)
		}
	})
}
