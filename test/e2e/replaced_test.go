package e2e

import (
	"bufio"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/truth/judge"
)

// replacer is a running replaced.c.
type replacer struct {
	pid   int
	turns chan inLibrary
}

// inLibrary is from when to when the program was in a library's function, in nanoseconds since 1970.
type inLibrary struct {
	begin, end        int64
	function, address string
}

func startReplacer(t *testing.T) *replacer {
	t.Helper()
	dir := t.TempDir()
	compile := func(to string, flags ...string) string {
		to = filepath.Join(dir, to)
		said, err := exec.Command("gcc", append(flags, "-O1", "-o", to, "testdata/replaced.c")...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, said)
		}
		return to
	}
	c := exec.Command(compile("replaced"), compile("one", "-DNAME=one", "-fPIC", "-shared"),
		compile("other", "-DNAME=other", "-fPIC", "-shared"))
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	r := &replacer{pid: c.Process.Pid, turns: make(chan inLibrary, 1000)}
	go func() {
		defer close(r.turns)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			var turn inLibrary
			_, _ = fmt.Sscan(lines.Text(), &turn.begin, &turn.end, &turn.function, &turn.address)
			turn.function = filepath.Base(turn.function)
			r.turns <- turn
		}
	}()
	return r
}

// TestReplaced: a library that is loaded where another one was has its own names, as soon as the mappings are read
// again. Nothing tells hotspan of that but the kernel: the program does it all in one thread.
func TestReplaced(t *testing.T) {
	r := startReplacer(t)
	file := filepath.Join(t.TempDir(), "samples.jsonl")
	recorded := run(t, "record", "-p", strconv.Itoa(r.pid), "-d", "10s", "--rate", "499", "-o", file)
	if recorded.Code != 0 {
		t.Fatalf("ended with %d:\n%s", recorded.Code, recorded.Stderr)
	}
	samples, err := judge.ReadSamples(file)
	if err != nil {
		t.Fatal(err)
	}
	said, addresses := map[string]int{}, map[string]bool{}
	for turn := range r.turns {
		addresses[turn.address] = true
		for _, s := range samples {
			if turn.begin <= s.T && s.T < turn.end {
				said[turn.judge(&s)]++
			}
		}
		if turn.end > samples[len(samples)-1].T {
			break
		}
	}
	t.Logf("%v", said)
	if len(addresses) != 1 {
		t.Fatalf("the libraries were at %d places", len(addresses))
	}
	if said["wrong"] > 0 || said["right: one"] == 0 || said["right: other"] == 0 || 10*said["edge"] > len(samples) {
		t.Errorf("%v", said)
	}
}

// judge says what a sample says of the function that it was taken in.
func (in *inLibrary) judge(s *judge.Sample) string {
	const edge = int64(5 * time.Millisecond)
	switch of := library(s); {
	case s.T < in.begin+edge || s.T >= in.end-edge:
		return "edge"
	case of == in.function:
		return "right: " + of
	case of != "":
		return "wrong"
	}
	return "nothing"
}

// library is which of the two a stack is in, by its names; "": it says of neither.
func library(s *judge.Sample) string {
	for _, f := range s.Stack {
		for _, name := range []string{"one", "other"} {
			if f.F == name || strings.HasSuffix(f.Mod, "/"+name) {
				return name
			}
		}
	}
	return ""
}
