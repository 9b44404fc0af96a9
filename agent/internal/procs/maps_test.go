package procs

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// parseMapping parses one line.
func parseMapping(line string) (m Mapping, err error) {
	err = m.parse([]byte(line))
	return m, err
}

// parseAll parses a text.
func parseAll(text string) (all []Mapping, err error) {
	err = parseMaps(strings.NewReader(text), func(m Mapping) { all = append(all, m) })
	return all, err
}

func TestParseMapping(t *testing.T) {
	for _, c := range []struct {
		line string
		want Mapping
	}{
		{"00400000-0527e000 r-xp 00001000 fe:00 1835048    /usr/bin/node",
			Mapping{0x400000, 0x527e000, 0x1000, true, 1835048, "fe:00", "/usr/bin/node", false, false}},
		{"7f120dfc3000-7f120dfff000 rwxp 00000000 00:00 0 ",
			Mapping{0x7f120dfc3000, 0x7f120dfff000, 0, true, 0, "00:00", "", true, false}},
		{"7f120dfc3000-7f120dfff000 ---p 00000000 00:00 0",
			Mapping{0x7f120dfc3000, 0x7f120dfff000, 0, false, 0, "00:00", "", false, true}},
		{"7ffdc07eb000-7ffdc080c000 rw-p 00000000 00:00 0                          [stack]",
			Mapping{0x7ffdc07eb000, 0x7ffdc080c000, 0, false, 0, "00:00", "[stack]", true, false}},
		{"7fb52b6c9000-7fb52b6cb000 r-xp 00000000 00:00 0                          [vdso]",
			Mapping{0x7fb52b6c9000, 0x7fb52b6cb000, 0, true, 0, "00:00", "[vdso]", false, false}},
		{"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]",
			Mapping{0xffffffffff600000, 0xffffffffff601000, 0, true, 0, "00:00", "[vsyscall]", false, false}},
		{"7f0000000000-7f0000001000 r-xp 00000000 00:00 0                          [anon:v8]",
			Mapping{0x7f0000000000, 0x7f0000001000, 0, true, 0, "00:00", "[anon:v8]", false, false}},
		{"7f0000000000-7f0000001000 r--s 7fffffffffff000 103:05 18446744073709551615 /a b/with  two spaces /x y",
			Mapping{0x7f0000000000, 0x7f0000001000, 0x7fffffffffff000, false, 1<<64 - 1, "103:05",
				"/a b/with  two spaces /x y", false, false}},
		{"7f0000000000-7f0000001000 r-xp 00000000 fe:00 12                         /tmp/node (deleted)",
			Mapping{0x7f0000000000, 0x7f0000001000, 0, true, 12, "fe:00", "/tmp/node (deleted)", false, false}},
		{"7f0000000000-7f0000001000 r-xp 00000000 00:01 5                          /memfd:jit (deleted)",
			Mapping{0x7f0000000000, 0x7f0000001000, 0, true, 5, "00:01", "/memfd:jit (deleted)", false, false}},
		{"7f123527e000-7f1235282000 rw-s 10000000 00:10 403756                     anon_inode:[io_uring]",
			Mapping{0x7f123527e000, 0x7f1235282000, 0x10000000, false, 403756, "00:10", "anon_inode:[io_uring]", true,
				false}},
		{"7f0000000000-7f0000001000 r-xp 00000000 fe:00 12                         " +
			`/a\012new line, and 00400000-00500000`,
			Mapping{0x7f0000000000, 0x7f0000001000, 0, true, 12, "fe:00", `/a\012new line, and 00400000-00500000`,
				false, false}},
		{"0-0 --x 0 x 0", Mapping{0, 0, 0, true, 0, "x", "", false, false}},
	} {
		got, err := parseMapping(c.line)
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v %s", c.line, err, diff)
		}
	}
}

func TestParseMappingErrors(t *testing.T) {
	for _, line := range []string{
		"", " ", "00400000", "00400000-0527e000", "00400000-0527e000 r-xp", "00400000-0527e000 r-xp 0 fe:00",
		"00500000-00400000 r-xp 00001000 fe:00 1", "x-00400000 r-xp 00001000 fe:00 1",
		"00400000-00500000 rx 00001000 fe:00 1",
		"00400000-00500000 r-xp -1 fe:00 1", "00400000-00500000 r-xp 0 fe:00 1x",
		"00400000-11112222333344445 r-xp 0 fe:00 1",
		"00400000-00500000 r-xp 0 fe:00 99999999999999999999", "-00500000 r-xp 0 fe:00 1",
	} {
		if m, err := parseMapping(line); err == nil || !strings.Contains(err.Error(), "not a line of /proc/PID/maps") {
			t.Errorf("%q: %+v, %v", line, m, err)
		}
	}
}

func TestParseMaps(t *testing.T) {
	const line = "00400000-00500000 r-xp 00001000 fe:00 7 /x\n"
	if got, err := parseAll(line + line); len(got) != 2 || err != nil {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := parseAll(""); len(got) != 0 || err != nil {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := parseAll(line + "broken"); len(got) != 1 || err == nil {
		t.Errorf("a broken line: %v, %v", got, err)
	}
	if _, err := parseAll(strings.Repeat("x", 1<<20)); err == nil {
		t.Error("a line of a mebibyte")
	}
	const short = "0-1 --- 0 x 0\n"
	if got, err := parseAll(strings.Repeat(short, maxMappings+1)); len(got) != maxMappings ||
		err == nil {
		t.Errorf("%d mappings, %v, want %d and an error", len(got), err, maxMappings)
	}
}

func FuzzParseMapping(f *testing.F) {
	f.Add("00400000-0527e000 r-xp 00001000 fe:00 1835048    /usr/bin/node")
	f.Add("7f120dfc3000-7f120dfff000 rwxp 00000000 00:00 0 ")
	f.Add("-  - - ")
	f.Fuzz(func(t *testing.T, line string) {
		m, err := parseMapping(line)
		if err != nil {
			return
		}
		if m.End < m.Start || strings.HasPrefix(m.Path, " ") || !strings.HasSuffix(line, m.Path) {
			t.Fatalf("%q: %+v", line, m)
		}
		again, err := parseMapping(fmt.Sprintf("%08x-%08x r%c%cp %08x %s %d %s", m.Start, m.End,
			map[bool]rune{true: 'w', false: '-'}[m.Write], map[bool]rune{true: 'x', false: '-'}[m.Exec],
			m.Offset, m.Device, m.Inode, m.Path))
		if m.Device != "" && (err != nil || again != m) {
			t.Fatalf("%q: %+v, written and read again %+v, %v", line, m, again, err)
		}
	})
}
