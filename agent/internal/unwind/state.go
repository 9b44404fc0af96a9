package unwind

// place says where the caller's value of a register is.
type place struct {
	how  where
	off  int64  // atCFA: bytes from the CFA
	expr []byte // atExpr: the DWARF expression that yields its address
}

type where uint8

const (
	unspecified where = iota // for rbp: unchanged
	undefined
	atCFA
	atExpr
	elsewhere // in another register, or computed
)

// state is what a call frame program has defined up to an address.
type state struct {
	reg    uint64 // CFA = reg + off, unless expr is set
	off    int64
	expr   []byte // the DWARF expression that yields the CFA
	rbp    place
	ra     place
	kept   [numKept]place
	signal bool // the frame is that of a signal: code without call frame instructions tells so
	broken bool // the call frame program could not be followed up to here
}
