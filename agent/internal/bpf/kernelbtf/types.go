package kernelbtf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cilium/ebpf/btf"
)

// Kinds of types. (Linux: include/uapi/linux/btf.h)
const (
	kindInt = iota + 1
	kindPointer
	kindArray
	kindStruct
	kindUnion
	kindEnum
	kindForward
	kindTypedef
	kindVolatile
	kindConst
	kindRestrict
	kindFunction
	kindPrototype
	kindVariable
	kindSection
	kindFloat
	kindDeclTag
	kindTypeTag
	kindEnum64
)

// sizeOf returns how many bytes a type has behind its first three words, of which the second is info.
func sizeOf(info uint32) (bytes int, ok bool) {
	n := int(info & 0xffff)
	switch info >> 24 & 0x1f {
	case kindPointer, kindForward, kindTypedef, kindVolatile, kindConst, kindRestrict, kindFunction, kindFloat,
		kindTypeTag:
		return 0, true
	case kindInt, kindVariable, kindDeclTag:
		return 4, true
	case kindArray:
		return 12, true
	case kindEnum, kindPrototype:
		return 8 * n, true
	case kindStruct, kindUnion, kindSection, kindEnum64:
		return 12 * n, true
	}
	return 0, false
}

// reader reads the BTF of the kernel. (Linux: Documentation/bpf/btf.rst)
type reader struct {
	types, strings []byte
	offsets        []uint32            // of each type by its id, in types; the first is none
	known          map[uint32]btf.Type // those that were read
}

const (
	magic      = 0xeb9f
	headerSize = 24
	typeSize   = 12
)

var errFormat = errors.New("not the BTF of a kernel")

// index finds where each type is.
func index(raw []byte) (*reader, error) {
	if len(raw) < headerSize || binary.LittleEndian.Uint16(raw) != magic {
		return nil, errFormat
	}
	section := func(at int) []byte {
		from := uint64(binary.LittleEndian.Uint32(raw[4:])) + uint64(binary.LittleEndian.Uint32(raw[at:]))
		to := from + uint64(binary.LittleEndian.Uint32(raw[at+4:]))
		if to > uint64(len(raw)) {
			return nil
		}
		return raw[from:to]
	}
	r := &reader{types: section(8), strings: section(16), known: map[uint32]btf.Type{}}
	r.offsets = make([]uint32, 1, 1+len(r.types)/20)
	for at := 0; at < len(r.types); {
		if at+typeSize > len(r.types) {
			return nil, errFormat
		}
		info := binary.LittleEndian.Uint32(r.types[at+4:])
		more, ok := sizeOf(info)
		if !ok || at+typeSize+more > len(r.types) {
			return nil, errFormat
		}
		r.offsets = append(r.offsets, uint32(at))
		at += typeSize + more
	}
	return r, nil
}

// word returns a word of a type, whose first three are its name, its kind and its size or what it is of.
func (r *reader) word(id uint32, i int) uint32 {
	return binary.LittleEndian.Uint32(r.types[int(r.offsets[id])+4*i:])
}

func (r *reader) kind(id uint32) uint32 { return r.word(id, 1) >> 24 & 0x1f }

// name is that of a type, empty for none.
func (r *reader) name(id uint32) []byte { return r.text(r.word(id, 0)) }

func (r *reader) text(at uint32) []byte {
	if int64(at) >= int64(len(r.strings)) {
		return nil
	}
	name, _, _ := bytes.Cut(r.strings[at:], []byte{0})
	return name
}

// maxDepth bounds how many types may be in each other: structs, arrays, and names for them.
const maxDepth = 64

// read makes the type with an id. What a pointer points to is void.
func (r *reader) read(id uint32, depth int) (btf.Type, error) {
	if id == 0 {
		return &btf.Void{}, nil
	}
	if int64(id) >= int64(len(r.offsets)) || depth > maxDepth {
		return nil, errFormat
	}
	if t := r.known[id]; t != nil {
		return t, nil
	}
	t, err := r.make(id, depth+1)
	r.known[id] = t
	return t, err
}

func (r *reader) make(id uint32, depth int) (t btf.Type, err error) {
	name, size := string(r.name(id)), r.word(id, 2)
	of := func() (t btf.Type) {
		t, err = r.read(size, depth)
		return t
	}
	switch kind := r.kind(id); kind {
	case kindInt:
		return &btf.Int{Name: name, Size: size, Encoding: btf.IntEncoding(r.word(id, 3) >> 24 & 0xf)}, nil
	case kindPointer:
		return &btf.Pointer{Target: &btf.Void{}}, nil
	case kindArray:
		return r.array(id, depth)
	case kindStruct:
		members, err := r.members(id, depth)
		return &btf.Struct{Name: name, Size: size, Members: members}, err
	case kindUnion:
		members, err := r.members(id, depth)
		return &btf.Union{Name: name, Size: size, Members: members}, err
	case kindEnum, kindEnum64:
		return &btf.Enum{Name: name, Size: size}, nil
	case kindForward:
		return &btf.Fwd{Name: name}, nil
	case kindFloat:
		return &btf.Float{Name: name, Size: size}, nil
	case kindTypedef:
		t = &btf.Typedef{Name: name, Type: of()}
	case kindVolatile:
		t = &btf.Volatile{Type: of()}
	case kindConst:
		t = &btf.Const{Type: of()}
	case kindRestrict:
		t = &btf.Restrict{Type: of()}
	case kindTypeTag:
		t = of()
	default:
		return nil, fmt.Errorf("%w: type %d, of kind %d, is in another one", errFormat, id, kind)
	}
	return t, err
}

func (r *reader) array(id uint32, depth int) (btf.Type, error) {
	of, err := r.read(r.word(id, 3), depth)
	if err != nil {
		return nil, err
	}
	index, err := r.read(r.word(id, 4), depth)
	return &btf.Array{Type: of, Index: index, Nelems: r.word(id, 5)}, err
}

// members are those of a struct or union. If there are bit fields in it, their sizes are above their places.
func (r *reader) members(id uint32, depth int) (out []btf.Member, err error) {
	info := r.word(id, 1)
	for i := range int(info & 0xffff) {
		at := r.word(id, 3+3*i+2)
		m := btf.Member{Name: string(r.text(r.word(id, 3+3*i))), Offset: btf.Bits(at)}
		if info>>31 == 1 {
			m.Offset, m.BitfieldSize = btf.Bits(at&0xffffff), btf.Bits(at>>24)
		}
		if m.Type, err = r.read(r.word(id, 3+3*i+1), depth); err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}
