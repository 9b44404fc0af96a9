package store

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// A cursor that the disk has damaged keeps no agent from its start: its consumer begins with what comes next. Numbers
// that no snapshot can have are damage too: after the largest of 64 bits comes 0, from which on all would be delivered
// again and again.
func TestDamagedCursor(t *testing.T) {
	for _, text := range []string{"", "garbage", "-1", "99999999999999999999", fmt.Sprint(uint64(math.MaxUint64))} {
		dir := t.TempDir()
		last := filepath.Join(dir, fmt.Sprintf("%d-1-2.otlp", uint64(math.MaxUint64)))
		for file, content := range map[string]string{filepath.Join(dir, "cursor-a"): text, last: ""} {
			if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s, err := Open(dir, Limits{Bytes: 1 << 30})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if _, err := s.Append([]byte("before"), 1, 2); err != nil {
			t.Fatal(err)
		}
		c, err := s.Cursor("a")
		if err != nil || c.Damaged == nil {
			t.Fatalf("%q: %v", text, err)
		}
		if err := c.Keep(); err != nil {
			t.Fatal(err)
		}
		after, err := s.Append([]byte("after"), 2, 3)
		if err != nil {
			t.Fatal(err)
		}
		e, err := c.Next(t.Context())
		if err != nil || e != after || c.Lost() != 0 {
			t.Errorf("%q: %v, %v, %d lost", text, e, err, c.Lost())
		}
		if again, err := s.Cursor("a"); err != nil || again.Damaged != nil {
			t.Errorf("%q: after it was kept: %v, %v", text, again, err)
		}
	}
}
