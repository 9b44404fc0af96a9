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
)

// TestReadelf compares with binutils: every row of every function, at its first and its last byte.
func TestReadelf(t *testing.T) {
	for _, tt := range []struct {
		name, path string
		minRows    int
	}{
		{"node 22", nodeBinary(t, "22.23.3"), 400000},
		{"node 24", nodeBinary(t, "24.21.0"), 400000},
		{"node 26", nodeBinary(t, "26.10.0"), 400000},
		{"libc", libc(t), 10000},
		{"ld.so", firstFile(t, "/lib64/ld-linux-x86-64.so.2"), 1000},
		{"vdso", writeFile(t, vdso(t)), 10},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := comparison{t: t, table: buildFile(t, tt.path), exprs: expressions(t, tt.path)}
			readelf(t, "-wNF", tt.path, c.line)
			c.finish()
			if c.rows < tt.minRows {
				t.Errorf("compared %d rows, want at least %d", c.rows, tt.minRows)
			}
			if c.table.Unsupported != c.inexpressible {
				t.Errorf("Unsupported = %d, readelf shows %d rules out of our form", c.table.Unsupported, c.inexpressible)
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

var headRE = regexp.MustCompile(`^([0-9a-f]{8,}) [0-9a-f]+ [0-9a-f]+ (?:CIE|FDE cie=([0-9a-f]+) pc=([0-9a-f]+)\.\.([0-9a-f]+))`)

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
		got, known := c.table.Lookup(pc)
		got.PC = 0
		if (got != want || known != ok) && c.failures < 10 {
			c.failures++
			c.t.Errorf("at %#x: %+v, %v; readelf says %v, so want %+v", pc, got, known, c.last, want)
		}
	}
}

var (
	basedRE = regexp.MustCompile(`^([a-z0-9]+)([+-]\d+)$`)
	savedRE = regexp.MustCompile(`^c([+-]\d+)$`)
	derefRE = regexp.MustCompile(`^DW_OP_breg7 \(rsp\): (-?\d+); DW_OP_deref; DW_OP_plus_uconst: 8$`)
	drapRE  = regexp.MustCompile(`^DW_OP_breg6 \(rbp\): (-?\d+); DW_OP_deref$`)
	pltRE   = regexp.MustCompile(`^DW_OP_breg7 \(rsp\): 8; DW_OP_breg16 \(rip\): 0; DW_OP_lit15; DW_OP_and; ` +
		`DW_OP_lit(\d+); DW_OP_ge; DW_OP_lit3; DW_OP_shl; DW_OP_plus$`)
)

var dwarfNames = strings.Fields("rax rdx rcx rbx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15")

// want translates readelf's row. False: it has no closed form.
func (c *comparison) want() (Row, bool) {
	none := Row{CFA: CFANone}
	if c.last["ra"] == "u" {
		return Row{CFA: CFAEnd}, true
	}
	if c.last["ra"] == "exp" && c.expression("ra") == "DW_OP_breg7 (rsp): 168" &&
		c.expression("rbp") == "DW_OP_breg7 (rsp): 120" && c.expression("cfa") == "DW_OP_breg7 (rsp): 160; DW_OP_deref" {
		return Row{CFA: CFASignal}, true
	}
	if c.last["ra"] != "c-8" {
		return none, false
	}
	row := Row{RBP: c.wantRBP()}
	text, scale := c.expression("cfa"), 8
	switch m := basedRE.FindStringSubmatch(c.last["CFA"]); {
	case m != nil:
		for i, name := range dwarfNames {
			if name == m[1] {
				row.CFA = uint8(i)
			}
		}
		text = m[2]
	case derefRE.MatchString(text):
		row.CFA, text = CFADeref, derefRE.FindStringSubmatch(text)[1]
	case drapRE.MatchString(text):
		row.CFA, text = CFADerefRBP, drapRE.FindStringSubmatch(text)[1]
	case pltRE.MatchString(text):
		row.CFA, text, scale = CFAPLT, pltRE.FindStringSubmatch(text)[1], 1
	default:
		return none, false
	}
	off := number(c.t, text)
	row.Off = int16(off / scale)
	if off%scale != 0 {
		return none, false
	}
	return row, true
}

func (c *comparison) wantRBP() int8 {
	rule := c.last["rbp"]
	switch m := savedRE.FindStringSubmatch(rule); {
	case m != nil:
		return int8(number(c.t, m[1]) / 8)
	case rule == "" || rule == "u" || rule == "s": // readelf writes u where nothing is said
		return RBPSame
	case rule == "exp" && c.expression("rbp") == "DW_OP_breg6 (rbp): 0":
		return RBPAtRBP
	}
	return RBPLost
}

// expression returns the text of the expression in force, as the interpreted tables say only "exp".
func (c *comparison) expression(of string) (text string) {
	for _, e := range c.exprs[c.begin] {
		if e.of == of && e.pc <= c.lastPC {
			text = e.text
		}
	}
	return text
}

// expressionAt is an expression that is in force from pc on.
type expressionAt struct {
	pc       uint64
	of, text string
}

var (
	advanceRE    = regexp.MustCompile(`DW_CFA_advance_loc.* to ([0-9a-f]+)$`)
	expressionRE = regexp.MustCompile(`DW_CFA_(def_cfa_)?expression:? (?:r\d+ )?(?:\((rbp|rip|[a-z0-9]+)\) )?\((DW_OP.*)\)$`)
)

// expressions reads readelf's uninterpreted dump, by the first address of the function.
func expressions(t *testing.T, path string) map[uint64][]expressionAt {
	all := map[uint64][]expressionAt{}
	var begin, pc uint64
	readelf(t, "-wNf", path, func(line string) {
		if m := headRE.FindStringSubmatch(line); m != nil {
			begin, pc = hex(m[3]), hex(m[3])
		} else if m := advanceRE.FindStringSubmatch(line); m != nil {
			pc = hex(m[1])
		} else if m := expressionRE.FindStringSubmatch(line); m != nil {
			of := map[string]string{"": "cfa", "rip": "ra"}[m[2]]
			if of == "" {
				of = m[2]
			}
			all[begin] = append(all[begin], expressionAt{pc, of, m[3]})
		}
	})
	return all
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
