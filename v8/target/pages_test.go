package target

import (
	"bytes"
	"math/rand/v2"
	"os"
	"testing"
	"unsafe"
)

// TestPages: each read gives what Live gives, bytes that cannot be read included.
func TestPages(t *testing.T) {
	self := &Live{PID: os.Getpid()}
	for name, p := range map[string]*Pages{"few": NewPages(self), "many": NewManyPages(self)} {
		t.Run(name, func(t *testing.T) { comparePages(t, p, self) })
	}
}

func comparePages(t *testing.T, p *Pages, self *Live) {
	own := ownPages(t)
	at := int64(uintptr(unsafe.Pointer(&own[0])))
	for i := range 10_000 {
		most := 6000
		if i%2 == 0 {
			most = 16
		}
		got := make([]byte, 1+rand.IntN(most))
		want := make([]byte, len(got))
		from := at + rand.Int64N(4200)
		n, err := p.ReadAt(got, from)
		m, direct := self.ReadAt(want, from)
		if n != m || (err == nil) != (direct == nil) || !bytes.Equal(got[:n], want[:m]) {
			t.Fatalf("%d bytes at %d: %d, %v, want %d, %v", len(got), from-at, n, err, m, direct)
		}
		if i%100 == 0 {
			p.Forget()
		}
	}
}

// TestForget: memory that has changed is read anew after Forget, and no process gets what was read of another.
func TestForget(t *testing.T) {
	self := &Live{PID: os.Getpid()}
	for name, p := range map[string]*Pages{"few": NewPages(self), "many": NewManyPages(self)} {
		t.Run(name, func(t *testing.T) { checkForget(t, p) })
	}
}

func checkForget(t *testing.T, p *Pages) {
	own := ownPages(t)
	at, b := int64(uintptr(unsafe.Pointer(&own[8]))), make([]byte, 1)
	for _, step := range []struct {
		write, want byte
		forget      bool
	}{{1, 1, false}, {2, 1, false}, {3, 3, true}, {4, 3, false}, {5, 5, true}} {
		own[8] = step.write
		if step.forget {
			p.Forget()
		}
		if _, err := p.ReadAt(b, at); err != nil || b[0] != step.want {
			t.Errorf("%+v: %d, %v", step, b[0], err)
		}
	}
	p.Forget()
	for range 9 { // the pool may give what p had, or not
		other := NewPages(&Live{PID: 1 << 30})
		if n, err := other.ReadAt(b, at); n != 0 || err == nil {
			t.Error("a process that does not exist has memory")
		}
		other.Forget()
	}
}
