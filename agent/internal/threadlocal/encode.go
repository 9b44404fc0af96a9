package threadlocal

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"maps"
	"slices"

	"github.com/hotspan/hotspan/agent/internal/blocks"
)

// Append appends the variables of a file in the form that Decode reads.
func (f *File) Append(b []byte) []byte {
	b = binary.AppendVarint(b, f.base)
	b = binary.AppendUvarint(b, uint64(len(f.Defined)))
	for _, name := range slices.Sorted(maps.Keys(f.Defined)) {
		b = binary.AppendUvarint(appendName(b, name), f.Defined[name])
	}
	b = binary.AppendUvarint(b, uint64(len(f.refs)))
	for _, r := range f.refs {
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(r.kind)), r.at)
		b = binary.AppendUvarint(appendName(b, r.name), r.value)
	}
	return b
}

func appendName(b []byte, name string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(name))), name...)
}

// Decode reads what Append has written. The error says that it is damaged.
func Decode(b []byte) (*File, error) {
	r := blocks.NewRecords(b)
	f := &File{Defined: map[string]uint64{}, base: r.Signed()}
	for n := r.Number(); n > 0 && !r.Cut(); n-- {
		name := string(r.Bytes(r.Number()))
		f.Defined[name] = r.Number()
	}
	for n := r.Number(); n > 0 && !r.Cut(); n-- {
		ref := reference{kind: elf.R_X86_64(r.Number()), at: r.Number()}
		ref.name, ref.value = string(r.Bytes(r.Number())), r.Number()
		f.refs = append(f.refs, ref)
	}
	if r.Cut() || r.Left() > 0 {
		return nil, errors.New("thread-local variables: damaged")
	}
	return f, nil
}
