// Package flow finds out by machine code where functions keep the frames of their callers: of code that has no unwind
// rules, as that of musl.
package flow

// State is what the code of a function has done up to an instruction, as far as its caller's frame depends on it. The
// canonical frame address (CFA) is the caller's stack pointer after the return: the return address is right below it.
type State struct {
	SP    int32       // bytes from rsp up to the CFA, or Unknown
	BP    int32       // bytes from rbp up to the CFA, if it is a frame pointer, or Unknown
	Kept  [Kept]int32 // where the caller's values of registers are: bytes below the CFA, InRegister or Unknown
	First bool        // it is the thread's first function: nothing has called it

	// Restorer: handlers of signals return to it. At rsp is what the kernel has saved of the function before.
	Restorer bool
}

// Values of the fields of a State that are no distances.
const (
	Unknown    int32 = -1 << 31
	InRegister int32 = 0
)

// The registers of State.Kept.
const (
	RBP = iota
	RBX
	R12
	R13
	Kept
)

// addressSize is what a call pushes, in bytes.
const addressSize = 8

// entered is the state where a function begins.
var entered = State{SP: addressSize, BP: Unknown}

// nothing is a state of which nothing is known.
var nothing = State{SP: Unknown, BP: Unknown, Kept: [Kept]int32{Unknown, Unknown, Unknown, Unknown}}

// intersect keeps of a state what is the same in another.
func (s *State) intersect(other State) (changed bool) {
	before := *s
	if s.SP != other.SP {
		s.SP = Unknown
	}
	if s.BP != other.BP {
		s.BP = Unknown
	}
	for i := range s.Kept {
		if s.Kept[i] != other.Kept[i] {
			s.Kept[i] = Unknown
		}
	}
	if s.First != other.First {
		*s = nothing
	}
	return *s != before
}

// leads reports whether the state leads to the caller's frame, or says that there is none.
func (s *State) leads() bool { return s.First || s.Restorer || s.SP != Unknown || s.BP != Unknown }

// Span is a range of ELF virtual addresses, the end excluded.
type Span struct{ Start, End uint64 }

// Rule is the State in which all instructions of a Span are. All of them lead to the caller's frame, or are the first.
type Rule struct {
	Span
	State
}
