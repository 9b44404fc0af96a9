package store

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
	"time"
)

// killedDir names the directory in which this program, run again, writes until it is killed.
const killedDir = "HOTSPAN_TEST_STORE"

func TestMain(m *testing.M) {
	if dir := os.Getenv(killedDir); dir != "" {
		write(dir)
	}
	os.Exit(m.Run())
}

// write appends snapshots that say their number, and delivers each.
func write(dir string) {
	s, err := Open(dir, Limits{Bytes: 200 << 10})
	if err != nil {
		panic(err)
	}
	c, err := s.Cursor("a")
	if err == nil {
		err = c.Keep()
	}
	if err != nil {
		panic(err)
	}
	fmt.Println("ready")
	for {
		for c.Waiting() > 0 {
			e, err := c.Next(context.Background())
			if err != nil || c.Done(e) != nil {
				panic(err)
			}
		}
		if _, err := s.Append(content(s.next), 1, 2); err != nil {
			panic(err)
		}
	}
}

func content(sequence uint64) []byte { return bytes.Repeat(fmt.Appendf(nil, "%8d", sequence), 1000) }

// Killed at any moment, a Store has whole snapshots without a gap, and nothing else.
func TestKill(t *testing.T) {
	dir := t.TempDir()
	for range 40 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), killedDir+"="+dir)
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := out.Read(make([]byte, 6)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rand.IntN(20000)) * time.Microsecond)
		cmd.Process.Kill()
		cmd.Wait()
		checkKilled(t, dir)
	}
}

func checkKilled(t *testing.T, dir string) {
	t.Helper()
	s, err := Open(dir, unlimited)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	entries, _ := s.From(0)
	for i, e := range entries {
		frame, err := s.Read(e)
		if err != nil || !bytes.Equal(frame, content(e.Sequence)) || i > 0 && e.Sequence != entries[i-1].Sequence+1 {
			t.Fatalf("%v after %v: %d bytes, %v", e, entries[max(i, 1)-1], len(frame), err)
		}
	}
	c, err := s.Cursor("a")
	if err != nil {
		t.Fatal(err)
	}
	if n := c.Waiting(); n > 1 {
		t.Errorf("%d snapshots would be delivered again, at most one was in flight", n)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != len(entries)+2 {
		t.Errorf("%d files for %d snapshots, a cursor and a lock; %v", len(files), len(entries), err)
	}
}
