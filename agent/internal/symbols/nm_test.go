package symbols

import (
	"bytes"
	"debug/elf"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/test/nodes/live"
)

// named is what nm says about one address.
type named struct {
	names []string
	sizes []uint64
}

// nm lists the code symbols, by address. Its letters for code are T, t, W, w and i.
func nm(t *testing.T, path string, options ...string) map[uint64]*named {
	t.Helper()
	all := map[uint64]*named{}
	for line := range strings.Lines(string(binutils(t, nil, "nm", append(options, "-S", "--defined-only", path)...))) {
		fields := strings.Fields(line)
		if len(fields) == 3 { // no size
			fields = []string{fields[0], "0", fields[1], fields[2]}
		}
		if len(fields) != 4 || !strings.ContainsAny(fields[2], "TtWwi") {
			continue
		}
		addr := address(fields[0])
		if all[addr] == nil {
			all[addr] = &named{}
		}
		name, _, _ := strings.Cut(fields[3], "@") // a version, which the file keeps elsewhere
		all[addr].names = append(all[addr].names, name)
		all[addr].sizes = append(all[addr].sizes, address(fields[1]))
	}
	return all
}

func address(s string) uint64 {
	n, _ := strconv.ParseUint(s, 16, 64)
	return n
}

// TestNM finds every symbol that nm lists, at its first and its last byte unless another starts in between.
func TestNM(t *testing.T) {
	for _, tt := range []struct {
		path    string
		options []string
		min     int
	}{
		{live.Binary(t, "24.21.0"), nil, 100000},
		{live.Libc(t), []string{"-D"}, 1000},
	} {
		table, want := openFile(t, tt.path), nm(t, tt.path, tt.options...)
		if len(want) < tt.min {
			t.Errorf("%s: nm lists %d addresses, want at least %d", tt.path, len(want), tt.min)
		}
		raw := map[uint64]string{}
		for _, e := range entries(table) {
			raw[e.start], _, _ = strings.Cut(string(e.name), "@")
		}
		for addr, w := range want {
			if slices.Max(w.sizes) == 0 {
				continue // a label: some are symbols of functions, some have no type
			}
			got, ok := table.Lookup(addr)
			if !ok || got.Start != addr || !slices.Contains(w.names, raw[addr]) || !slices.Contains(w.sizes, got.Size) {
				t.Errorf("%s: %#x is %+v (%s), %v; nm has %+v", tt.path, addr, got, raw[addr], ok, *w)
			}
			if last, ok := table.Lookup(addr + got.Size - 1); !ok || last.Start < addr {
				t.Errorf("%s: last byte of %+v is %+v, %v", tt.path, got, last, ok)
			}
		}
	}
}

// TestAddr2line compares random addresses inside of functions. Of aliases binutils may choose another one, so the
// start of its choice counts.
func TestAddr2line(t *testing.T) {
	const samples = 2000
	for _, path := range []string{live.Binary(t, "24.21.0"), live.Binary(t, "26.10.0")} {
		table, starts := openFile(t, path), map[string]map[uint64]bool{}
		for addr, w := range nm(t, path) {
			for _, name := range w.names {
				name, _, _ = strings.Cut(name, "@")
				if starts[name] == nil {
					starts[name] = map[uint64]bool{}
				}
				starts[name][addr] = true
			}
		}
		random := rand.New(rand.NewPCG(1, 2))
		all := entries(table)
		var addrs []uint64
		var stdin bytes.Buffer
		for range samples {
			e := all[random.IntN(len(all))]
			addr := e.start + random.Uint64N(uint64(e.size))
			addrs = append(addrs, addr)
			fmt.Fprintf(&stdin, "%#x\n", addr)
		}
		lines := strings.Split(string(binutils(t, stdin.Bytes(), "addr2line", "-f", "-e", withoutDebug(t, path))), "\n")
		for i, addr := range addrs {
			name, _, _ := strings.Cut(lines[2*i], "@")
			got, ok := table.Lookup(addr)
			if !ok || !starts[name][got.Start] {
				t.Errorf("%#x: %+v, %v; addr2line says %s, which starts at %v", addr, got, ok, name, starts[name])
			}
		}
	}
}

// withoutDebug copies a file without what leads addr2line to DWARF, as that has other names: of inlined functions, and
// of a separate debug file's own symbols.
func withoutDebug(t *testing.T, path string) string {
	t.Helper()
	stripped := filepath.Join(t.TempDir(), "stripped")
	binutils(t, nil, "objcopy", "--strip-debug", "-R", ".gnu_debuglink", "-R", ".note.gnu.build-id", path, stripped)
	return stripped
}

func TestBuildID(t *testing.T) {
	for _, path := range []string{live.Binary(t, "24.21.0"), live.Libc(t)} {
		f, err := elf.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		got, err := BuildID(f)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		_, want, _ := strings.Cut(string(binutils(t, nil, "readelf", "-n", path)), "Build ID: ")
		want, _, _ = strings.Cut(want, "\n")
		if got != want || len(got) != 40 {
			t.Errorf("%s: build id %q, readelf says %q", path, got, want)
		}
	}
}
