package sampler

import (
	"errors"
	"os/exec"
	"testing"
	"time"

	"github.com/hotspan/hotspan/agent/internal/bpf"
)

// The execve of a process that is not asked for is not reported: it costs a wakeup. That of others is before the
// programs are loaded that take samples.
func TestExecs(t *testing.T) {
	for _, c := range []struct {
		name   string
		config Config
		want   bool
	}{
		{"none", Config{}, false},
		{"another process", Config{Execs: []int{1}}, false},
		{"all", Config{AllExecs: true}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.config.RingBytes = 1 << 16
			s, err := Open(c.config)
			if err == nil {
				defer s.Close()
				err = s.Watching()
			}
			if err != nil {
				t.Fatal(err)
			}
			child := exec.Command("/bin/true")
			if err := child.Run(); err != nil {
				t.Fatal(err)
			}
			if got := s.reports(t, bpf.RecordExec, uint32(child.Process.Pid)); got != c.want {
				t.Errorf("reported: %v, want %v", got, c.want)
			}
		})
	}
}

// reports says whether there is such a record of a process.
func (s *Sampler) reports(t *testing.T, kind, pid uint32) bool {
	t.Helper()
	for end := time.Now().Add(100 * time.Millisecond); ; {
		r, err := s.Read()
		switch {
		case errors.Is(err, ErrEmpty) && time.Now().After(end):
			return false
		case errors.Is(err, ErrEmpty):
			s.Wait(end)
			continue
		case err != nil:
			t.Fatal(err)
		}
		if l := r.Lifecycle; l != nil && l.Type == kind && l.Pid == pid {
			return true
		}
	}
}
