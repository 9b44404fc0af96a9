package process

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hotspan/hotspan/agent/internal/procs"
)

// keep is what codeMaps keeps of mappings.
func keep(all []procs.Mapping, before []Region) ([]procs.Mapping, int) {
	c := codeMaps{before: before}
	for _, m := range all {
		c.add(m)
	}
	return c.all(), c.left
}

// randomMaps are mappings of any kinds, with and without gaps, and the regions of their files.
func randomMaps(r *rand.Rand) (all []procs.Mapping, code []Region) {
	kinds := []procs.Mapping{
		{}, {}, {}, {Exec: true}, {Path: "[anon:v8]"}, {Path: "[anon:v8]", Exec: true}, {Path: "[anon:OTEL_CTX]"},
		{Path: "[stack]"}, {Path: "[vdso]", Exec: true}, {Inode: 1, Path: "/lib", Exec: true}, {Inode: 1, Path: "/lib"},
		{Inode: 2, Path: "/node", Exec: true},
	}
	at := uint64(1)
	for range r.IntN(20) {
		m := kinds[r.IntN(len(kinds))]
		if r.IntN(4) == 0 {
			at += 1 + r.Uint64N(2)
		}
		m.Start, m.End = at, at+1+r.Uint64N(2)
		at = m.End
		all = append(all, m)
		if m.Exec && m.Inode != 0 {
			code = append(code, Region{Start: m.Start, End: m.End, Kind: Kind(r.IntN(2))})
		}
	}
	return all, code
}

// TestCodeMaps: what is left out and made one changes nothing of where code may be, whatever is mapped.
func TestCodeMaps(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var before []Region
	for range 20000 {
		all, code := randomMaps(r)
		kept, left := keep(all, before)
		want, got := addresses(generated(all, code, before)), addresses(generated(kept, code, before))
		if !slices.Equal(want, got) || left != 0 {
			t.Fatalf("%+v\nwith %+v\nbefore %+v: code at %v, want %v", all, code, before, got, want)
		}
		for _, m := range all {
			if (m.Exec && !isAnonymous(m) || isContext(m)) && !slices.Contains(kept, m) {
				t.Fatalf("%+v is not kept of %+v", m, all)
			}
		}
		before = append(generated(kept, code, before), code...)
		slices.SortFunc(before, func(a, b Region) int { return int(int64(a.Start - b.Start)) })
	}
}

// addresses are those in regions.
func addresses(regions []Region) (all []uint64) {
	for _, r := range regions {
		for at := r.Start; at < r.End; at++ {
			all = append(all, at)
		}
	}
	return all
}

// TestManyMaps: of a process with as many mappings as the kernel allows few are kept, whatever they are. What is not
// kept is counted.
func TestManyMaps(t *testing.T) {
	const n, page = 65530, 4096
	for name, c := range map[string]struct {
		at         func(i int) procs.Mapping
		kept, left int
	}{
		"data":           {func(i int) procs.Mapping { return procs.Mapping{Write: i%2 > 0} }, 0, 0},
		"data with gaps": {func(i int) procs.Mapping { return procs.Mapping{Start: 1} }, 0, 0},
		"data with names": {func(i int) procs.Mapping { return procs.Mapping{Path: fmt.Sprintf("[anon:%d]", i)} },
			0, 0},
		"data of files":      {func(i int) procs.Mapping { return procs.Mapping{Inode: 1 + uint64(i)} }, 0, 0},
		"code, every second": {func(i int) procs.Mapping { return procs.Mapping{Exec: i%2 > 0} }, 1, 0},
		"code with gaps": {func(i int) procs.Mapping { return procs.Mapping{Start: 1, Exec: true} },
			maxCodeMaps, n - maxCodeMaps},
		"code of files": {func(i int) procs.Mapping { return procs.Mapping{Inode: 1 + uint64(i), Exec: true} },
			maxCodeMaps, n - maxCodeMaps},
	} {
		var all []procs.Mapping
		for i := range n {
			m := c.at(i)
			m.Start += uint64(i+1) * page
			m.End = uint64(i+2) * page
			all = append(all, m)
		}
		kept, left := keep(all, nil)
		if len(kept) != c.kept || left != c.left {
			t.Errorf("%s: %d kept, %d left, want %d and %d", name, len(kept), left, c.kept, c.left)
		}
		if _, left := (&Mappings{left: left}).BPF(nil); left != c.left {
			t.Errorf("%s: %d are said to be left", name, left)
		}
	}
}

// TestMovedText: anonymous memory, in one piece or more, is a file's text if it fills a hole in that, and only then.
func TestMovedText(t *testing.T) {
	text := func(start, end uint64) procs.Mapping {
		return procs.Mapping{Start: start, End: end, Offset: start - 0xb00, Exec: true, Inode: 7, Path: "/node"}
	}
	anonymous := func(start, end uint64, name string) procs.Mapping {
		return procs.Mapping{Start: start, End: end, Exec: true, Path: name}
	}
	before, moved, after := text(0x1000, 0x2000), anonymous(0x2000, 0x6000, ""), text(0x6000, 0x7000)
	elsewhere, other, data := after, after, after
	elsewhere.Offset, other.Inode, data.Exec = 0x6500, 8, false
	for name, c := range map[string]struct{ all, want []procs.Mapping }{
		"moved": {[]procs.Mapping{before, moved, after}, []procs.Mapping{before, text(0x2000, 0x6000), after}},
		"with a name": {[]procs.Mapping{before, anonymous(0x2000, 0x6000, "[anon:text]"), after},
			[]procs.Mapping{before, text(0x2000, 0x6000), after}},
		"in pieces": {[]procs.Mapping{before, anonymous(0x2000, 0x4000, ""), anonymous(0x4000, 0x6000, ""), after},
			[]procs.Mapping{before, text(0x2000, 0x6000), after}},
		"not the place": {[]procs.Mapping{before, moved, elsewhere}, []procs.Mapping{before, moved, elsewhere}},
		"another file":  {[]procs.Mapping{before, moved, other}, []procs.Mapping{before, moved, other}},
		"before data":   {[]procs.Mapping{before, moved, data}, []procs.Mapping{before, moved}},
		"smaller": {[]procs.Mapping{before, anonymous(0x2000, 0x5000, ""), after},
			[]procs.Mapping{before, anonymous(0x2000, 0x5000, ""), after}},
	} {
		if got, _ := keep(c.all, nil); !slices.Equal(got, c.want) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
