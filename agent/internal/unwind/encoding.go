package unwind

// encoding says how a pointer of .eh_frame is written: the form of its number, and what it is relative to (Linux
// Standard Base 5.0, section 10.5.1). The zero value is an address.
type encoding uint8

const (
	form     encoding = 0x0f
	signed   encoding = 0x08
	relative encoding = 0x10 // to the place of the pointer itself
	indirect encoding = 0x80 // the pointer is at that address
)

// size returns how many bytes a pointer has, 0 if that is not known. No compiler writes numbers of variable length.
func (e encoding) size() uint64 {
	switch e & form &^ signed {
	case 0, 4:
		return 8
	case 2:
		return 2
	case 3:
		return 4
	}
	return 0
}

func (e encoding) known() bool { return e.size() != 0 && e&^(form|relative|indirect) == 0 }

// absolute is the encoding of a size beside a pointer.
func (e encoding) absolute() encoding { return e & form }

// read reads a pointer whose place is at.
func (e encoding) read(r *reader, at uint64) uint64 {
	n := r.number(e.size())
	if e&signed != 0 {
		unused := 64 - 8*e.size()
		n = uint64(int64(n<<unused) >> unused)
	}
	if e&relative != 0 {
		n += at
	}
	return n
}
