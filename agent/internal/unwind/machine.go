package unwind

// Call frame instructions (DWARF 5, section 7.24). The first three carry their first operand in the low six bits.
const (
	cfaAdvanceLoc     = 0x40
	cfaOffset         = 0x80
	cfaRestore        = 0xc0
	cfaNop            = 0x00
	cfaAdvanceLoc1    = 0x02
	cfaAdvanceLoc2    = 0x03
	cfaAdvanceLoc4    = 0x04
	cfaOffsetExt      = 0x05
	cfaRestoreExt     = 0x06
	cfaUndefined      = 0x07
	cfaSameValue      = 0x08
	cfaRegister       = 0x09
	cfaRememberState  = 0x0a
	cfaRestoreState   = 0x0b
	cfaDefCFA         = 0x0c
	cfaDefCFARegister = 0x0d
	cfaDefCFAOffset   = 0x0e
	cfaDefCFAExpr     = 0x0f
	cfaExpression     = 0x10
	cfaOffsetExtSF    = 0x11
	cfaDefCFASF       = 0x12
	cfaDefCFAOffsetSF = 0x13
	cfaValOffset      = 0x14
	cfaValOffsetSF    = 0x15
	cfaValExpression  = 0x16
	cfaGNUArgsSize    = 0x2e

	operandBits = 0x3f
)

// maxSaved bounds the stack of remembered states. Compilers nest none.
const maxSaved = 64

// maxUnit bounds the unit of advances, so that addresses cannot overflow. It is 1 on x86-64.
const maxUnit = 255

// machine runs a call frame program. It tracks only the CFA, rbp, the return address and keptRegisters. The parser that
// we use can run programs too, but starts again for every address, and it does not know the initial rule that a restore
// instruction goes back to.
type machine struct {
	code    uint64 // unit of advances, in bytes
	data    int64  // unit of offsets, in bytes
	now     state
	initial *state // what a restore instruction goes back to
	saved   []state
	in      reader
}

// run calls emit with each state and the address from which it is in force, by rising address from pc up to end. If a
// program cannot be followed, the state is broken from there on.
func (m *machine) run(program []byte, pc, end uint64, emit func(pc uint64, s *state)) {
	m.in, m.saved = reader{b: program}, m.saved[:0]
	for len(m.in.b) > 0 && !m.now.broken {
		delta, ok := m.instruction()
		next := pc + delta*m.code
		if !ok || m.in.short || m.code > maxUnit {
			m.now = state{broken: true}
			break
		}
		if next > pc { // an advance changes nothing else
			emit(pc, &m.now)
			pc = next
		}
		if pc >= end {
			return
		}
	}
	emit(pc, &m.now)
}

// instruction runs one instruction. It returns the advance it made, in units of code, or false if it is not known.
func (m *machine) instruction() (delta uint64, ok bool) {
	op := m.in.byte()
	low := uint64(op & operandBits)
	switch op &^ operandBits {
	case cfaAdvanceLoc:
		return low, true
	case cfaOffset:
		m.set(low, place{how: atCFA, off: int64(m.in.uleb()) * m.data})
		return 0, true
	case cfaRestore:
		m.restore(low)
		return 0, true
	}
	switch op {
	case cfaNop:
	case cfaAdvanceLoc1:
		return m.in.number(1), true
	case cfaAdvanceLoc2:
		return m.in.number(2), true
	case cfaAdvanceLoc4:
		return m.in.number(4), true
	case cfaGNUArgsSize:
		m.in.uleb()
	case cfaRememberState:
		m.saved = append(m.saved, m.now)
		return 0, len(m.saved) <= maxSaved
	case cfaRestoreState:
		return 0, m.pop()
	case cfaDefCFA, cfaDefCFARegister, cfaDefCFAOffset, cfaDefCFAExpr, cfaDefCFASF, cfaDefCFAOffsetSF:
		m.define(op)
	default:
		return 0, m.register(op)
	}
	return 0, true
}

// define runs the instructions that define the CFA. As in libgcc, a new register ends an expression, a new offset
// does not.
func (m *machine) define(op byte) {
	s := &m.now
	switch op {
	case cfaDefCFA:
		s.reg, s.off, s.expr = m.in.uleb(), int64(m.in.uleb()), nil
	case cfaDefCFASF:
		s.reg, s.off, s.expr = m.in.uleb(), m.in.sleb()*m.data, nil
	case cfaDefCFARegister:
		s.reg, s.expr = m.in.uleb(), nil
	case cfaDefCFAOffset:
		s.off = int64(m.in.uleb())
	case cfaDefCFAOffsetSF:
		s.off = m.in.sleb() * m.data
	case cfaDefCFAExpr:
		s.expr = m.in.block()
	}
}

// register runs the instructions that define where a register is saved. It is false if op is not one of them.
func (m *machine) register(op byte) bool {
	reg := m.in.uleb()
	switch op {
	case cfaOffsetExt:
		m.set(reg, place{how: atCFA, off: int64(m.in.uleb()) * m.data})
	case cfaOffsetExtSF:
		m.set(reg, place{how: atCFA, off: m.in.sleb() * m.data})
	case cfaRestoreExt:
		m.restore(reg)
	case cfaUndefined:
		m.set(reg, place{how: undefined})
	case cfaSameValue:
		m.set(reg, place{how: unspecified})
	case cfaRegister, cfaValOffset, cfaValOffsetSF:
		m.in.uleb()
		m.set(reg, place{how: elsewhere})
	case cfaExpression:
		m.set(reg, place{how: atExpr, expr: m.in.block()})
	case cfaValExpression:
		m.in.block()
		m.set(reg, place{how: elsewhere})
	default:
		return false
	}
	return true
}

func (m *machine) set(reg uint64, p place) {
	switch reg {
	case regRBP:
		m.now.rbp = p
	case regRA:
		m.now.ra = p
	default:
		if i := keptIndex(reg); i >= 0 {
			m.now.kept[i] = p
		}
	}
}

func (m *machine) restore(reg uint64) {
	switch reg {
	case regRBP:
		m.now.rbp = m.initial.rbp
	case regRA:
		m.now.ra = m.initial.ra
	default:
		if i := keptIndex(reg); i >= 0 {
			m.now.kept[i] = m.initial.kept[i]
		}
	}
}

func (m *machine) pop() bool {
	n := len(m.saved)
	if n == 0 {
		return false
	}
	m.now, m.saved = m.saved[n-1], m.saved[:n-1]
	return true
}
