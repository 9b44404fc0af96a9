package sampler

import (
	"testing"

	"github.com/hotspan/hotspan/agent/internal/bpf"
)

func TestThreadNames(t *testing.T) {
	names := ThreadNames{}
	for _, c := range []struct {
		pid, tid   uint32
		name, want string
	}{
		{7, 7, "MainThread", "MainThread"},
		{7, 9, "MainThread", "MainThread (another)"},
		{7, 7, "MainThread", "MainThread"},
		{7, 7, "node-MainThread", "node-MainThread"},
		{7, 9, "node-MainThread", "node-MainThread (another)"},
		{7, 8, "V8Worker", "V8Worker"},
		{7, 7, "renamed", "renamed"},
		{7, 9, "", ""},
	} {
		s := &Sample{Sample: &bpf.Sample{Pid: c.pid, Tid: c.tid}}
		for i, b := range []byte(c.name) {
			s.Comm[i] = int8(b)
		}
		if got := names.Of(s); got != c.want {
			t.Errorf("process %d, thread %d called %q: %q, want %q", c.pid, c.tid, c.name, got, c.want)
		}
	}
}
