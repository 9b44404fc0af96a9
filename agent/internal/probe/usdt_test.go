package probe

import (
	"encoding/binary"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/test/nodes/live"
)

// TestTracepoints compares the notes of an add-on with what readelf says of them.
func TestTracepoints(t *testing.T) {
	file := live.Addon(t, live.Binary(t, "24.21.0"), "../../../test/e2e/testdata/probed.c")
	text, err := exec.Command("readelf", "-nW", file).Output()
	if err != nil {
		t.Fatal(err)
	}
	var want []tracepoint
	for _, m := range regexp.MustCompile(`Provider: (\S+)\s+Name: (\S+)\s+Location: 0x(\w+), Base: 0x\w+, `+
		`Semaphore: 0x(\w+)`).FindAllStringSubmatch(string(text), -1) {
		address, _ := strconv.ParseUint(m[3], 16, 64)
		semaphore, _ := strconv.ParseUint(m[4], 16, 64)
		want = append(want, tracepoint{m[1], m[2], address, semaphore})
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in, err := open(f)
	if err != nil {
		t.Fatal(err)
	}
	got, err := tracepoints(in)
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(tracepoint{})); err != nil || diff != "" || len(want) != 3 {
		t.Errorf("%v, %s", err, diff)
	}
	for _, c := range []struct{ name, want string }{
		{"mark", ""}, {"listened", ""},
		{"marks", "like it is hotspan_test:mark"}, {"x", "has the name hotspan_test:x"},
	} {
		sites, err := findTracepoint(in, Spec{Kind: USDT, Provider: "hotspan_test", Symbol: c.name})
		if c.want == "" && (err != nil || len(sites) == 0) ||
			c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, %v, want %q", c.name, sites, err, c.want)
		}
	}
	if _, err := (tracepoint{address: want[0].address + 1}).site(in); err != errNoNop {
		t.Errorf("behind the nop: %v", err)
	}
}

// FuzzNotes: no bytes of a file do more than end the list.
func FuzzNotes(f *testing.F) {
	f.Add([]byte("\x08\x00\x00\x00\x20\x00\x00\x00\x03\x00\x00\x00stapsdt\x00"+
		"\x01\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00"+
		"\x03\x00\x00\x00\x00\x00\x00\x00p\x00name\x00\x00\x00"), uint64(8))
	f.Fuzz(func(t *testing.T, data []byte, base uint64) {
		all, err := decodeNotes(binary.LittleEndian, data, base)
		if len(all)*36 > len(data)+3 { // a head, a name, three addresses and two zeros, padded
			t.Errorf("%d notes in %d bytes, %v", len(all), len(data), err)
		}
	})
}
