package procs

import (
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

// TestFileBudget: a file each of whose reads is just in time is not read for hours.
func TestFileBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, p := time.Now(), &Timed{file: lazy{}}
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
