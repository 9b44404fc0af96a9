package unwind

import (
	"regexp"
	"strings"
	"testing"
)

var (
	basedRE = regexp.MustCompile(`^([a-z0-9]+)([+-]\d+)$`)
	savedRE = regexp.MustCompile(`^c([+-]\d+)$`)
	derefRE = regexp.MustCompile(`^DW_OP_breg7 \(rsp\): (-?\d+); DW_OP_deref; DW_OP_plus_uconst: 8$`)
	byFPRE  = regexp.MustCompile(`^DW_OP_breg6 \(rbp\): (-?\d+); DW_OP_deref; DW_OP_plus_uconst: 8$`)
	byR9RE  = regexp.MustCompile(`^DW_OP_breg7 \(rsp\): (-?\d+); DW_OP_breg9 \(r9\): 0; DW_OP_lit8; DW_OP_mul; ` +
		`DW_OP_plus; DW_OP_deref; DW_OP_plus_uconst: 8$`)
	drapRE = regexp.MustCompile(`^DW_OP_breg6 \(rbp\): (-?\d+); DW_OP_deref$`)
	pltRE  = regexp.MustCompile(`^DW_OP_breg7 \(rsp\): 8; DW_OP_breg16 \(rip\): 0; DW_OP_lit15; DW_OP_and; ` +
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
		c.expression("rbp") == "DW_OP_breg7 (rsp): 120" &&
		c.expression("cfa") == "DW_OP_breg7 (rsp): 160; DW_OP_deref" {
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
	case byFPRE.MatchString(text):
		row.CFA, text = CFADerefFP, byFPRE.FindStringSubmatch(text)[1]
	case byR9RE.MatchString(text):
		row.CFA, text = CFADerefR9, byR9RE.FindStringSubmatch(text)[1]
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
	expressionRE = regexp.MustCompile(
		`DW_CFA_(def_cfa_)?expression:? (?:r\d+ )?(?:\((rbp|rip|[a-z0-9]+)\) )?\((DW_OP.*)\)$`)
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
