package flow

import "debug/elf"

// walker follows code from where functions begin. What pushes, pops and the like do to the stack pointer on the way to
// an instruction tells where the return address is there. Where two ways do not agree, nothing is known.
type walker struct {
	file      *elf.File
	code      []byte
	addr      uint64  // of code
	index     []int32 // by offset in code: of known, plus 1; 0 where nothing is known; leftOut
	known     []instruction
	functions map[uint32]*followed // by the offset where they begin
	linked    map[uint64]uint64    // the file's functions that words lead to when it has been linked, 0 for others
	work      []visit
	steps     int
}

const leftOut = -1

// instruction is one that was reached.
type instruction struct {
	at       uint32 // offset in code
	size     uint8  // 0: it was not looked at, or is not known
	state    State
	function uint32 // that it was reached from first
}

// followed is a function. What is behind a call is reached only if the function that is called returns: after a call
// of abort may be another function.
type followed struct {
	certain bool // that it begins there: other code that leads to it does not count
	returns bool
	callers []visit  // the calls of it that wait until it is known to return
	joined  []uint32 // functions that return if it does, for they go on as it
}

// visit is an instruction that has to be looked at, as one of a function.
type visit struct{ at, function uint32 }

func newWalker(f *elf.File, code []byte, addr uint64) *walker {
	return &walker{
		file: f, code: code, addr: addr, index: make([]int32, len(code)), functions: map[uint32]*followed{},
		linked: map[uint64]uint64{},
	}
}

// leaveOut has code not be followed.
func (w *walker) leaveOut(s Span) {
	if s.Start < w.addr || s.End > w.addr+uint64(len(w.code)) {
		return
	}
	for i := s.Start - w.addr; i < s.End-w.addr; i++ {
		w.index[i] = leftOut
	}
}

// offset returns where in the code an address is; false if it is not followed.
func (w *walker) offset(at uint64) (uint32, bool) {
	off := at - w.addr
	return uint32(off), off < uint64(len(w.code)) && w.index[off] != leftOut
}

// function notes that a function begins at an address, for certain or perhaps. It is nil if its code is not followed.
func (w *walker) function(address uint64, certain bool) *followed {
	at, ok := w.offset(address)
	if !ok {
		return nil
	}
	fn := w.functions[at]
	if fn == nil {
		fn = new(followed)
		w.functions[at] = fn
		w.reach(at, at, entered)
	}
	if certain && !fn.certain {
		fn.certain = true
		if in := &w.known[w.index[at]-1]; in.state != entered {
			in.state = entered
			w.work = append(w.work, visit{at, at})
		}
	}
	return fn
}

// reach notes that a function reaches an instruction in a state.
func (w *walker) reach(at, function uint32, s State) {
	if fn := w.functions[at]; fn != nil && at != function {
		w.join(function, fn)
		if fn.certain {
			return
		}
	}
	i := w.index[at]
	if i == 0 {
		w.known = append(w.known, instruction{at: at, state: s, function: function})
		w.index[at] = int32(len(w.known))
		w.work = append(w.work, visit{at, function})
		return
	}
	in := &w.known[i-1]
	if in.function != function {
		w.join(function, w.functions[in.function])
		w.join(in.function, w.functions[function])
	}
	if in.state.intersect(s) {
		w.work = append(w.work, visit{at, in.function})
	}
}

// goOn is reach of an address to which code leads, in what is followed or elsewhere.
func (w *walker) goOn(address uint64, function uint32, s State) {
	if at, ok := w.offset(address); ok {
		w.reach(at, function, s)
	} else {
		w.setReturns(function)
	}
}

// join notes that a function returns if another one does.
func (w *walker) join(function uint32, other *followed) {
	if other.returns {
		w.setReturns(function)
	} else if w.functions[function] != other {
		other.joined = append(other.joined, function)
	}
}

// setReturns notes that a function returns: what is behind the calls of it is reached.
func (w *walker) setReturns(function uint32) {
	for all := []uint32{function}; len(all) > 0; {
		fn := w.functions[all[len(all)-1]]
		all = all[:len(all)-1]
		if fn.returns {
			continue
		}
		fn.returns = true
		w.work = append(w.work, fn.callers...)
		all = append(all, fn.joined...)
		fn.callers, fn.joined = nil, nil
	}
}
