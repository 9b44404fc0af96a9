package kernelnames

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// shown returns the functions that /proc/kallsyms has, by address. Several may begin at one. Those of BPF programs come
// and go.
func shown(t *testing.T) map[uint64][]string {
	t.Helper()
	text, err := os.ReadFile("/proc/kallsyms")
	if err != nil {
		t.Fatal(err)
	}
	names := map[uint64][]string{}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) < 3 || !strings.Contains("tTwW", words[1]) || strings.HasSuffix(line, "[bpf]\n") {
			continue
		}
		at, err := strconv.ParseUint(words[0], 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		names[at] = append(names[at], strings.Join(words[2:], " "))
	}
	if len(names) < 1000 {
		t.Skip("this user may not see kernel addresses; run as root")
	}
	return names
}

// TestName: what the kernel says of the beginning of a function, and of the byte before, is what it shows as a table.
func TestName(t *testing.T) {
	n, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	names := shown(t)
	var starts []uint64
	for at := range names {
		starts = append(starts, at)
	}
	slices.Sort(starts)
	begin, named := time.Now(), 0
	for i := 1; i < len(starts); i += 1 + len(starts)/5000 {
		for at, want := range map[uint64][]string{starts[i]: names[starts[i]], starts[i] - 1: names[starts[i-1]]} {
			got, err := n.Name(at)
			if err != nil {
				t.Fatal(err)
			}
			if got != "" {
				named++
			}
			if got == "" && at == starts[i] || got != "" && !slices.Contains(want, got) {
				t.Errorf("%x: %q, want one of %q", at, got, want)
			}
		}
	}
	t.Logf("%d addresses were named, %v each", named, time.Since(begin)/time.Duration(named))
	for _, at := range []uint64{0, 1, 4096, 0x7fff_ffff_f000, 0x8000_0000_0000, 1<<64 - 1} {
		if got, err := n.Name(at); got != "" || err != nil {
			t.Errorf("%x: %q, %v, want no name", at, got, err)
		}
	}
}
