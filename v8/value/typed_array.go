package value

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
)

// typed is a kind of typed array: its name, the bytes of an element, and how one is printed.
type typed struct {
	name  string
	size  int
	print func(bits uint64) string
}

func signed(bits int) func(uint64) string {
	return func(u uint64) string { return strconv.FormatInt(int64(u<<(64-bits))>>(64-bits), 10) }
}

func unsigned(u uint64) string { return strconv.FormatUint(u, 10) }

func float16(u uint64) string {
	sign, exponent, mantissa := u>>15&1, int(u>>10&0x1f), float64(u&0x3ff)
	f := math.Ldexp(mantissa/1024, -14)
	switch {
	case exponent == 0x1f && mantissa != 0:
		return Number(math.NaN())
	case exponent == 0x1f:
		f = math.Inf(1)
	case exponent > 0:
		f = math.Ldexp(1+mantissa/1024, exponent-15)
	}
	return Number(math.Copysign(f, 1-2*float64(sign)))
}

func bigUint(u uint64) string { return new(big.Int).SetUint64(u).String() + "n" }

// The kinds of typed arrays in the order of V8's kinds of elements: first those that all V8s have first, then the
// others, which V8 13 has in another order, and V8 12 with a last one. (src/objects/elements-kind.h, TYPED_ARRAYS)
var (
	clamped  = typed{"Uint8ClampedArray", 1, unsigned}
	float32s = typed{"Float32Array", 4, func(u uint64) string {
		return Number(float64(math.Float32frombits(uint32(u))))
	}}
	float64s   = typed{"Float64Array", 8, func(u uint64) string { return Number(math.Float64frombits(u)) }}
	bigUint64s = typed{"BigUint64Array", 8, bigUint}
	bigInt64s  = typed{"BigInt64Array", 8, func(u uint64) string { return signed(64)(u) + "n" }}

	smallTyped = []typed{{"Uint8Array", 1, unsigned}, {"Int8Array", 1, signed(8)}, {"Uint16Array", 2, unsigned},
		{"Int16Array", 2, signed(16)}, {"Uint32Array", 4, unsigned}, {"Int32Array", 4, signed(32)}}
	float16s = typed{"Float16Array", 2, float16}

	typedBefore12 = slices.Concat(smallTyped, []typed{float32s, float64s, clamped, bigUint64s, bigInt64s})
	typedBefore13 = append(slices.Clip(typedBefore12), float16s)
	typedFrom13   = slices.Concat(smallTyped, []typed{bigUint64s, bigInt64s, clamped, float32s, float64s, float16s})
)

// typedKind is the kind of a typed array.
func (s *printing) typedKind(o *object) (*typed, error) {
	kind, dictionary, err := s.Heap.ElementsKind(o.w)
	if err != nil {
		return nil, err
	}
	kinds := typedFrom13
	switch major := s.l.V8.Major; { // of those between 11.8 and 12.4, 12.9 and 13.6, Node has none
	case major < 12:
		kinds = typedBefore12
	case major < 13:
		kinds = typedBefore13
	}
	const between = 5 // kinds of arguments and of strings come between
	i := kind - dictionary - between
	if i < 0 || i >= 2*len(kinds) { // behind them are those over buffers that change their length
		return nil, fmt.Errorf("elements of kind %d", kind)
	}
	return &kinds[i%len(kinds)], nil
}

// typedArray is the form of a typed array, and of a Buffer.
func (s *printing) typedArray(o *object) (form, error) {
	t, err := s.typedKind(o)
	if err != nil {
		return form{}, err
	}
	v, err := s.Heap.View(o.w)
	if err != nil {
		return form{}, err
	}
	b, err := s.Heap.Buffer(v.Buffer)
	if err != nil {
		return form{}, err
	}
	at, err := s.Heap.TypedData(o.w)
	if err != nil {
		return form{}, err
	}
	length, ok := v.Within(&b)
	if !ok {
		length = 0
	}
	if o.of.custom && o.of.name == "Buffer" && len(o.own) == 0 && s.Depth >= 0 {
		const most = 50 // INSPECT_MAX_BYTES of Node's module buffer
		text, err := s.bytes(at, length, most)
		return form{base: "<Buffer " + text + ">", whole: true}, err
	}
	if o.of.tag == "<getter>" { // that of %TypedArray%
		o.of.tag = t.name
	}
	n := length / uint64(t.size)
	f := form{open: o.of.before(s.l.V8, t.name, fmt.Sprintf("(%d)", n)) + "[", close: "]", usual: t.name, list: true,
		shown: n > 0}
	o.elements = elements{array: true, numbers: true, length: int(min(n, math.MaxInt32))}
	f.members = func(int) []string { return s.numbers(t, at, n) }
	return f, nil
}

// numbers prints the elements of a typed array.
func (s *printing) numbers(t *typed, at, n uint64) (out []string) {
	shown := int(min(n, maxElements))
	b, err := s.Heap.Bytes(at, shown*t.size)
	if err != nil {
		return []string{unread(err)}
	}
	s.read += shown
	for ; len(b) > 0; b = b[t.size:] {
		var word [8]byte
		copy(word[:], b[:t.size])
		out = append(out, t.print(binary.LittleEndian.Uint64(word[:])))
	}
	if left := n - uint64(shown); left > 0 {
		out = append(out, fmt.Sprintf("... %d more item%s", left, plural(int(left))))
	}
	return out
}
