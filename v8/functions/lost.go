package functions

// LostReason says why the name or the line of a Frame is missing.
type LostReason uint8

// The reasons.
const (
	NothingLost  LostReason = iota
	LostFunction            // the collector freed or moved the function before it could be read
	LostBytecode            // the function's bytecode could not be read
	LostOffset              // the frame does not hold a bytecode offset, or the code has no bytecode offset table
	LostSource              // the script's text could not be read
	LostCode                // the machine code was freed, or its place used again, before it could be read
)

var lostReasons = [...]string{
	LostFunction: "function moved", LostBytecode: "no bytecode", LostOffset: "no bytecode offset",
	LostSource: "no source", LostCode: "code gone",
}

// String is a short text for people; "" for NothingLost.
func (r LostReason) String() string {
	if int(r) < len(lostReasons) {
		return lostReasons[r]
	}
	return "unknown reason"
}
