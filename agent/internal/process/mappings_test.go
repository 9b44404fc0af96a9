package process

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/elffile"
	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/target"
)

// readMaps reads a recorded /proc/PID/maps with a scanner of its own.
func readMaps(t *testing.T, name string) []procs.Mapping {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []procs.Mapping
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var m procs.Mapping
		var rights string
		n, _ := fmt.Sscanf(lines.Text(), "%x-%x %s %x %s %d %s", &m.Start, &m.End, &rights, &m.Offset, &m.Device,
			&m.Inode, &m.Path)
		if n < 6 {
			t.Fatalf("%s: %s", name, lines.Text())
		}
		m.Exec = rights[2] == 'x'
		out = append(out, m)
	}
	return out
}

// The ranges are read by eye from the recorded texts: V8 reserves one piece of address space for code. Builtins are in
// the executable at the address and file offset that nm and readelf give.
var recordings = []struct {
	maps             string
	builtins, offset uint64 // ELF address and file offset
	size             uint64
	again            uint64 // where the builtins are mapped a second time
	code             [][2]uint64
	never            [][2]uint64 // data
}{
	{"maps-node22.txt", 0x1d52000, 0x1952000, 0x1dfa40, 0x7f122ddc0000,
		[][2]uint64{{0x7f120dfc0000, 0x7f120dfc2000}, {0x7f120dfc2000, 0x7f120dfc3000},
			{0x7f120dfc3000, 0x7f120dfff000}, {0x7f120dfff000, 0x7f122ddc0000}, {0x7f122dfa0000, 0x7f122dfc0000}},
		[][2]uint64{{0x6b3e000, 0x6b76000}, {0x1a63b000, 0x1a82f000}, {0x7f1208000000, 0x7f120c000000},
			{0x7f122dffd000, 0x7f122e7fd000}}},
	{"maps-node24.txt", 0x1a27000, 0x1627000, 0x204d80, 0x7fb50bdc0000,
		[][2]uint64{{0x7fb4ec000000, 0x7fb50bdc0000}, {0x7fb50bfc5000, 0x7fb50c000000}},
		[][2]uint64{{0x6b7d000, 0x6bb6000}, {0x7e6a000, 0x80b4000}, {0x28c6240000, 0x28c6280000},
			{0x7fb52a82e000, 0x7fb52b02e000}}},
	{"maps-node26.txt", 0x1a27000, 0x1627000, 0x214d40, 0x7f301fdc0000,
		[][2]uint64{{0x7f3000000000, 0x7f301fdc0000}, {0x7f301ffd5000, 0x7f3020000000}},
		[][2]uint64{{0x7308000, 0x735a000}, {0xda4f000, 0xdc2e000}, {0x10b35300000, 0x10b35340000},
			{0x7f302fd0e000, 0x7f303050e000}}},
}

func TestRecordedMaps(t *testing.T) {
	for _, c := range recordings {
		t.Run(c.maps, func(t *testing.T) {
			maps := readMaps(t, c.maps)
			var code []Region
			for _, m := range maps {
				if m.Exec && m.Path == "/usr/local/bin/node" {
					bias := m.Start - (c.builtins + m.Offset - c.offset)
					code = append(code, split(Region{Start: m.Start, End: m.End, Bias: bias}, c.builtins+bias,
						c.builtins+c.size+bias)...)
				}
			}
			blobs := slices.DeleteFunc(slices.Clone(code), func(r Region) bool { return r.Kind != Builtins })
			if len(blobs) != 2 || blobs[0].Start != c.builtins || blobs[0].End != c.builtins+c.size ||
				blobs[1].Start != c.again || blobs[1].End != c.again+c.size {
				t.Errorf("builtins at %+v", blobs)
			}
			got := generated(maps, code, nil)
			for _, want := range c.code {
				if !slices.ContainsFunc(got, func(r Region) bool {
					return r.Start == want[0] && r.End == want[1] && r.Kind == Generated
				}) {
					t.Errorf("no region %x", want)
				}
			}
			for _, not := range c.never {
				if slices.ContainsFunc(got, func(r Region) bool { return r.Start < not[1] && r.End > not[0] }) {
					t.Errorf("%x is data", not)
				}
			}
			for _, r := range got {
				if slices.ContainsFunc(code, func(o Region) bool { return r.Start < o.End && r.End > o.Start }) {
					t.Errorf("region %x-%x holds code of a file", r.Start, r.End)
				}
			}
		})
	}
}

// Without a second mapping of the builtins (--no-short-builtin-calls) the code range is executable all the same.
func TestGenerated(t *testing.T) {
	anon := func(start, end uint64, exec bool, path string) procs.Mapping {
		return procs.Mapping{Start: start, End: end, Exec: exec, Path: path}
	}
	file := procs.Mapping{Start: 0x3000, End: 0x4000, Exec: true, Inode: 5, Path: "/lib"}
	for _, c := range []struct {
		name string
		maps []procs.Mapping
		want [][2]uint64
	}{
		{"none", nil, nil},
		{"data only", []procs.Mapping{anon(0x1000, 0x2000, false, "")}, nil},
		{"neighbours of code", []procs.Mapping{anon(0x1000, 0x2000, false, ""), anon(0x2000, 0x3000, true, ""),
			anon(0x3000, 0x4000, false, "")}, [][2]uint64{{0x1000, 0x2000}, {0x2000, 0x3000}, {0x3000, 0x4000}}},
		{"a gap between", []procs.Mapping{anon(0x1000, 0x2000, false, ""), anon(0x2001, 0x3000, true, "")},
			[][2]uint64{{0x2001, 0x3000}}},
		{"a file between", []procs.Mapping{anon(0x1000, 0x2000, true, ""), file, anon(0x4000, 0x5000, false, "")},
			[][2]uint64{{0x1000, 0x2000}}},
		{"a file with code is not", []procs.Mapping{file}, nil},
		{"named anonymous memory", []procs.Mapping{anon(0x1000, 0x2000, true, "[anon:v8]")},
			[][2]uint64{{0x1000, 0x2000}}},
		{"vdso and vsyscall", []procs.Mapping{anon(0x1000, 0x2000, true, "[vdso]"),
			anon(0x3000, 0x4000, true, "[vsyscall]")}, nil},
		{"stack that is executable", []procs.Mapping{anon(0x1000, 0x2000, true, "[stack]")}, nil},
	} {
		var got [][2]uint64
		for _, r := range generated(c.maps, nil, nil) {
			got = append(got, [2]uint64{r.Start, r.End})
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// Node 16 and 18 take the right to execute from all code while they write to some.
func TestGeneratedStays(t *testing.T) {
	maps := func(exec bool, end uint64) []procs.Mapping {
		return []procs.Mapping{{Start: 0x1000, End: 0x2000}, {Start: 0x2000, End: end, Exec: exec},
			{Start: 0x9000, End: 0xa000}}
	}
	before := generated(maps(true, 0x3000), nil, nil)
	for end, want := range map[uint64]int{0x3000: 2, 0x4000: 2, 0x2000: 2} {
		if got := generated(maps(false, end), nil, before); len(got) != want || got[0].Start != 0x1000 ||
			got[1].End != end {
			t.Errorf("code to %#x that is written to: %+v", end, got)
		}
	}
	if got := generated([]procs.Mapping{{Start: 0x9000, End: 0xa000}}, nil, before); got != nil {
		t.Errorf("data elsewhere: %+v", got)
	}
}

func TestSplit(t *testing.T) {
	r := Region{Start: 0x1000, End: 0x5000}
	for _, c := range []struct {
		low, high uint64
		want      string
	}{
		{0x2000, 0x3000, "1000-2000 0, 2000-3000 1, 3000-5000 0"},
		{0x1000, 0x3000, "1000-3000 1, 3000-5000 0"},
		{0x2000, 0x5000, "1000-2000 0, 2000-5000 1"},
		{0, 0x9000, "1000-5000 1"},
		{0x5000, 0x9000, "1000-5000 0"},
		{0, 0x1000, "1000-5000 0"},
		{0, 0, "1000-5000 0"},
		{0x3000, 0x2000, "1000-5000 0"},
		{0x3000, 0x3000, "1000-5000 0"},
	} {
		var got []string
		for _, x := range split(r, c.low, c.high) {
			got = append(got, fmt.Sprintf("%x-%x %d", x.Start, x.End, x.Kind))
		}
		if diff := cmp.Diff(c.want, strings.Join(got, ", ")); diff != "" {
			t.Errorf("%x-%x: %s", c.low, c.high, diff)
		}
	}
}

func TestMappings(t *testing.T) {
	file := &elffile.File{Slot: 7}
	s := &Mappings{regions: []Region{
		{Start: 0x1000, End: 0x2000, File: file, Bias: 0x500},
		{Start: 0x2000, End: 0x3000, Kind: Builtins, File: file},
		{Start: 0x3000, End: 0x4000, Kind: Generated},
		{Start: 0x4000, End: 0x5000, Kind: Generated},
		{Start: 0x6000, End: 0x7000, Kind: Generated},
		{Start: 0x7000, End: 0x8000, File: &elffile.File{}},
		{Start: 0x8000, End: 0x9000, Kind: Builtins, File: file},
	}, past: past{places: []Region{
		{Start: 0x5000, End: 0x6000}, {Start: 0x7800, End: 0xa000}, {Start: 0x9000, End: 0xa000},
		{Start: 0, End: 0x1000}, {Start: 0x9800, End: 0xb000},
	}}}
	to := make([]bpf.Mapping, 128)
	n, left := s.BPF(to)
	want := []bpf.Mapping{
		{Start: 0, End: 0x1000, Kind: bpf.MappingGone},
		{Start: 0x1000, End: 0x2000, Kind: bpf.MappingNative, Table: 7, Base: 0x500},
		{Start: 0x2000, End: 0x3000, Kind: bpf.MappingBuiltins},
		{Start: 0x3000, End: 0x5000, Kind: bpf.MappingGenerated},
		{Start: 0x5000, End: 0x6000, Kind: bpf.MappingGone},
		{Start: 0x6000, End: 0x7000, Kind: bpf.MappingGenerated},
		{Start: 0x7000, End: 0x8000, Kind: bpf.MappingNative},
		{Start: 0x8000, End: 0x9000, Kind: bpf.MappingBuiltins},
		{Start: 0x9000, End: 0xa000, Kind: bpf.MappingGone},
	}
	if !slices.Equal(want, to[:n]) || left != 0 {
		t.Errorf("%+v, %d left, want %+v", to[:n], left, want)
	}
	for i := range 200 {
		s.regions = append(s.regions, Region{Start: uint64(0x10000 + i*0x1000), End: uint64(0x10800 + i*0x1000),
			File: file})
	}
	if n, left := s.BPF(to); n != 128 || left != 6+200-128 {
		t.Errorf("%d mappings and %d left, want 128 and 78", n, left)
	}
	if n, left := s.BPF(nil); n != 0 || left == 0 {
		t.Errorf("no room: %d mappings and %d left", n, left)
	}
}

func TestFind(t *testing.T) {
	s := &Mappings{regions: []Region{{Start: 0x1000, End: 0x2000}, {Start: 0x2000, End: 0x3000, Kind: Generated},
		{Start: 0x5000, End: 0x6000}}}
	for addr, want := range map[uint64]uint64{0: 0, 0xfff: 0, 0x1000: 0x1000, 0x1fff: 0x1000, 0x2000: 0x2000, 0x3000: 0,
		0x4fff: 0, 0x5fff: 0x5000, 0x6000: 0, 1<<64 - 1: 0} {
		if r, ok := s.Find(addr); r.Start != want || ok != (want != 0) {
			t.Errorf("Find(0x%x) = %+v, %v", addr, r, ok)
		}
	}
	if s.Generated(0x1fff) || !s.Generated(0x2000) || s.Generated(0x3000) {
		t.Error("generated code is in 0x2000-0x3000")
	}
	if _, _, _, ok := s.Builtin(0x2000); ok {
		t.Error("there are no builtins")
	}
}

func again(t *testing.T, s *Mappings) (changed bool) {
	t.Helper()
	next := s.Next()
	if err := next.Read(); err != nil {
		t.Fatal(err)
	}
	return s.Update(next)
}

func readV8(t *testing.T, s *Mappings) (changed bool) {
	t.Helper()
	var c V8Code
	for now := int64(2); ; now++ {
		c.Read(s, now)
		if at, changed, ok := c.Take(s, 1); ok {
			if at < 2 || c.Reading() {
				t.Errorf("it was read at %d", at)
			}
			return changed
		}
		time.Sleep(time.Millisecond)
	}
}

// TestLateV8Code: mappings that take long to read are waited for for a moment once, and can be taken when they have
// come, unless later ones are at hand. After an error those at hand stay, and are the last ones if the process has
// ended.
func TestLateV8Code(t *testing.T) {
	end := make(chan error)
	code := []procs.Mapping{{Start: 0x1000, End: 0x2000, Exec: true}}
	c := V8Code{read: func(int, []Region) (codeMaps, error) { return codeMaps{kept: code, left: 7}, <-end }}
	s := &Mappings{}
	begin := func(at int64) time.Duration {
		began := time.Now()
		c.Read(s, at)
		return time.Since(began)
	}
	await := func(err error) {
		end <- err
		<-c.reading.done
	}
	if took := begin(2); took < longestWait {
		t.Errorf("they are waited for for %v", took)
	}
	if took := begin(3); took >= longestWait || !c.Reading() {
		t.Errorf("they are waited for again, for %v", took)
	}
	if _, _, ok := c.Take(s, 1); ok || len(s.maps) > 0 {
		t.Error("they are taken before they were read")
	}
	await(nil)
	if _, _, ok := c.Take(s, 2); ok || c.Reading() || len(s.maps) > 0 {
		t.Error("they are taken, though others were read as late")
	}
	for err, last := range map[error]bool{fs.ErrNotExist: true, unix.ESRCH: true, procs.ErrSlow: false} {
		if took := begin(4); took >= longestWait {
			t.Errorf("they are waited for again, for %v", took)
		}
		await(err)
		if at, changed, ok := c.Take(s, 1); changed || ok != last || at != 4 || len(s.maps) > 0 {
			t.Errorf("after %v: %d, %v, %v, %v", err, at, changed, ok, s.maps)
		}
	}
	begin(5)
	await(nil)
	if at, changed, ok := c.Take(s, 4); at != 5 || !changed || !ok || len(s.regions) != 1 || s.left != 7 {
		t.Errorf("read at %d, changed %v, %v: %+v", at, changed, ok, s)
	}
}

// TestManyMappings: of a process with many mappings samples wait for one reading, and then for none for a while.
func TestManyMappings(t *testing.T) {
	for seen, waits := range map[int]bool{manyMaps: true, manyMaps + 1: false} {
		c := V8Code{read: func(int, []Region) (codeMaps, error) { return codeMaps{seen: seen}, nil }}
		s := &Mappings{}
		if c.Read(s, 2); !c.reading.wait(0) {
			t.Error("the first reading is not waited for")
		}
		if again := time.Now().After(c.noWait); again != waits {
			t.Errorf("with %d mappings the next one is waited for: %v", seen, again)
		}
	}
}

// The test inspects its own process, whose functions Go knows by name.
func TestOwnMappings(t *testing.T) {
	pid := os.Getpid()
	s, err := readMappings(pid, target.Live{PID: pid}, elffile.NewCache(nil), false)
	if err != nil {
		t.Fatal(err)
	}
	if s.Layout() != nil || s.V8() != nil || len(s.regions) > 0 {
		t.Error("there is no V8 in this test, and nothing to read")
	}
	// from now on there seems to be
	s.v8 = &elffile.File{Layout: &layout.Layout{Builtins: layout.Range{Start: 1, End: 2}}}
	again(t, s)
	maps, err := procs.Maps(pid)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(maps, func(m procs.Mapping) bool { return m.Exec && strings.HasSuffix(m.Path, ".test") })
	if r, ok := s.Find(maps[i].Start); !ok || r.Kind != Native || r.File.Path != maps[i].Path {
		t.Errorf("own code: %+v, %v", r, ok)
	}
	if again(t, s) || readV8(t, s) {
		t.Error("nothing has changed")
	}
	page, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_EXEC, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	if !readV8(t, s) || again(t, s) {
		t.Error("code was mapped, which both find")
	}
	if err := unix.Munmap(page); err != nil {
		t.Fatal(err)
	}
	if !again(t, s) || readV8(t, s) {
		t.Error("code was unmapped, which both find")
	}
	if _, err := readMappings(1<<30, target.Live{PID: 1 << 30}, elffile.NewCache(nil), false); err == nil {
		t.Error("the mappings of no process")
	}
}
