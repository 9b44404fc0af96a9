package unwind

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/nodes/live"
)

// TestReadelf compares with binutils: every row of every function, at its first and its last byte.
func TestReadelf(t *testing.T) {
	for _, tt := range draw.Share([]struct {
		name, path string
		minRows    int
	}{
		{"node 22", live.Binary(t, "22.23.3"), 400000},
		{"node 24", live.Binary(t, "24.21.0"), 400000},
		{"node 26", live.Binary(t, "26.10.0"), 400000},
		{"libc", live.Libc(t), 10000},
		{"ld.so", live.FirstFile(t, "/lib64/ld-linux-x86-64.so.2"), 1000},
		{"vdso", writeFile(t, vdso(t)), 10},
	}, 3, t.Name()) {
		t.Run(tt.name, func(t *testing.T) {
			c := comparison{t: t, table: buildFile(t, tt.path), exprs: expressions(t, tt.path)}
			readelf(t, "-wNF", tt.path, c.line)
			c.finish()
			if c.rows < tt.minRows {
				t.Errorf("compared %d rows, want at least %d", c.rows, tt.minRows)
			}
			if c.table.Unsupported != c.inexpressible {
				t.Errorf("Unsupported = %d, readelf shows %d rules out of our form", c.table.Unsupported,
					c.inexpressible)
			}
			t.Logf("%d rows compared, %d kept; %d without closed form", c.rows, len(c.table.Rows), c.inexpressible)
		})
	}
}

func writeFile(t *testing.T, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "image")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// readelf calls each with every line of a dump of .eh_frame. In the options, N keeps it from looking for debug files.
func readelf(t *testing.T, option, path string, each func(string)) {
	t.Helper()
	cmd := exec.Command("readelf", option, path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatalf("this test compares with readelf, install binutils: %v", err)
	}
	lines, loaded := bufio.NewScanner(out), false
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "Contents of the ") { // .debug_frame is dumped too
			loaded = strings.Contains(lines.Text(), ".eh_frame ")
		}
		if loaded {
			each(lines.Text())
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("readelf %s %s: %v", option, path, err)
	}
}

// comparison reads readelf's interpreted tables and checks our rows against them.
type comparison struct {
	t     *testing.T
	table *Table
	exprs map[uint64][]expressionAt

	offset     string                       // of the entry being read, as readelf prints it
	columns    []string                     // the registers of its table
	common     map[string]map[string]string // by offset: the rule of a common entry
	begin, end uint64                       // of the function being read; 0, 0 in a common entry
	last       map[string]string            // the row before, in force up to the next
	lastPC     uint64

	rows, inexpressible, failures int
}

var headRE = regexp.MustCompile(
	`^([0-9a-f]{8,}) [0-9a-f]+ [0-9a-f]+ (?:CIE|FDE cie=([0-9a-f]+) pc=([0-9a-f]+)\.\.([0-9a-f]+))`)

// inRegisterRE finds the second word of "r5 (rdi)": a register that is saved in another.
var inRegisterRE = regexp.MustCompile(` \([a-z0-9]+\)`)

func (c *comparison) line(line string) {
	fields := strings.Fields(inRegisterRE.ReplaceAllString(line, ""))
	if m := headRE.FindStringSubmatch(line); m != nil {
		c.entry(m[1], m[2], hex(m[3]), hex(m[4]))
	} else if len(fields) > 2 && fields[0] == "LOC" {
		c.columns = fields[1:]
	} else if len(fields) == len(c.columns)+1 && len(fields) > 2 {
		row := map[string]string{}
		for i, name := range c.columns {
			row[name] = fields[i+1]
		}
		c.row(hex(fields[0]), row)
	}
}

func (c *comparison) entry(offset, cie string, begin, end uint64) {
	c.finish()
	c.offset, c.columns, c.begin, c.end = offset, nil, begin, end
	c.last, c.lastPC = c.common[cie], begin
}

func (c *comparison) row(pc uint64, row map[string]string) {
	if c.end == 0 {
		if c.common == nil {
			c.common = map[string]map[string]string{}
		}
		c.common[c.offset] = row
		return
	}
	c.check(pc)
	c.last, c.lastPC = row, pc
}

// finish checks the last row of a function.
func (c *comparison) finish() {
	if c.end > c.begin {
		c.check(c.end)
	}
}

// check compares the row before, in force from lastPC to end.
func (c *comparison) check(end uint64) {
	if end <= c.lastPC {
		return
	}
	c.rows++
	want, ok := c.want()
	if !ok {
		c.inexpressible++
	}
	for _, pc := range []uint64{c.lastPC, end - 1} {
		c.checkKept(pc)
		got, known := c.table.Lookup(pc)
		got.PC = 0
		if (got != want || known != ok) && c.failures < 10 {
			c.failures++
			c.t.Errorf("at %#x: %+v, %v; readelf says %v, so want %+v", pc, got, known, c.last, want)
		}
	}
}

// checkKept compares where the caller's callee-saved registers are.
func (c *comparison) checkKept(pc uint64) {
	for _, register := range keptRegisters {
		want, rule := KeptLost, c.last[dwarfNames[register]]
		if m := savedRE.FindStringSubmatch(rule); m != nil {
			if n := number(c.t, m[1]); n != 0 { // at the CFA itself: in the frame of a signal
				want = int16(n / 8)
			}
		} else if rule == "" || rule == "u" || rule == "s" {
			want = KeptSame
		}
		if got := c.table.Kept(uint8(register), pc); got != want && c.failures < 10 {
			c.failures++
			c.t.Errorf("at %#x: %s of the caller at %d; readelf says %v, so want %d", pc, dwarfNames[register], got,
				c.last, want)
		}
	}
}

func hex(s string) uint64 {
	n, _ := strconv.ParseUint(s, 16, 64)
	return n
}

func number(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
