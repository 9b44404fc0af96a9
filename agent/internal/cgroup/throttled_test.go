package cgroup

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestThrottled(t *testing.T) {
	dir := t.TempDir()
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "cpu.stat"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		before, after string
		want          []Throttled
	}{
		{
			"usage_usec 5\nnr_periods 10\nnr_throttled 2\nthrottled_usec 700\nnr_bursts 0\n",
			"usage_usec 9\nnr_periods 40\nnr_throttled 12\nthrottled_usec 900700\nnr_bursts 0\n",
			[]Throttled{{dir, 30, 10, 900 * time.Millisecond}},
		}, {
			"nr_periods 0\nnr_throttled 0\nthrottled_time 0\n", "nr_periods 3\nnr_throttled 1\nthrottled_time 1234\n",
			[]Throttled{{dir, 3, 1, 1234}},
		},
		{"nr_periods 0\nnr_throttled 0\nthrottled_time 0\n", "nr_periods 3\nnr_throttled 0\nthrottled_time 0\n", nil},
		{"usage_usec 5\n", "usage_usec 7\n", nil}, // that of the root
		{"nr_periods x\n\n1\n", "nr_throttled 7\n", nil},
	} {
		write(c.before)
		w := Watch{
			mounts: "35 24 0:30 / " + dir + " rw - cgroup2 cgroup2 rw\n36 24 0:31 / /none rw - cgroup cgroup rw,cpu\n",
			before: map[string]Throttled{},
		}
		w.Add(os.Getpid())
		write(c.after)
		w.Add(os.Getpid())
		if diff := cmp.Diff(c.want, w.Throttled()); diff != "" {
			t.Errorf("%q: %s", c.after, diff)
		}
	}
	if got := new(Watch).Throttled(); got != nil {
		t.Errorf("%v of no groups", got)
	}
}
