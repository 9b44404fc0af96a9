package value

import (
	"fmt"
	"math"
	"math/big"
	"time"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// date is the form of a Date: its time as toISOString writes it.
func (s *printing) date(o *object) (form, error) {
	w, err := s.Heap.Part(o.w, layout.JSDateValue)
	if err != nil {
		return form{}, err
	}
	ms := float64(w.Smi())
	switch {
	case s.l.At(layout.JSDateRaw) == 1:
		ms = float(w)
	case !w.IsSmi():
		bits, err := s.Heap.Number(w)
		if err != nil {
			return form{}, err
		}
		ms = float(bits)
	}
	f := form{base: isoTime(ms), open: "{", close: "}", usual: "Date"}
	if before := o.of.before(s.l.V8, "Date", ""); before != "Date " {
		f.base = before + f.base
	}
	return f, nil
}

// maxTime is the last time that a Date can have, in milliseconds since 1970. (ECMA-262, Time Values)
const maxTime = 8.64e15

func isoTime(ms float64) string {
	if math.IsNaN(ms) || math.Abs(ms) > maxTime {
		return "Invalid Date"
	}
	t := time.UnixMilli(int64(ms)).UTC()
	year := fmt.Sprintf("%04d", t.Year())
	if t.Year() < 0 || t.Year() > 9999 {
		year = fmt.Sprintf("%+07d", t.Year())
	}
	return year + t.Format("-01-02T15:04:05.000Z")
}

// regExpFlags are the flags of a regular expression in the order of its property flags, by their bit.
// (src/regexp/regexp-flags.h)
var regExpFlags = []struct {
	bit  int
	flag byte
}{{7, 'd'}, {0, 'g'}, {1, 'i'}, {2, 'm'}, {5, 's'}, {4, 'u'}, {8, 'v'}, {3, 'y'}}

// regExp is the form of a RegExp.
func (s *printing) regExp(o *object) (form, error) {
	source, err := s.Heap.Part(o.w, layout.JSRegExpSource)
	if err != nil {
		return form{}, err
	}
	text, trailer, err := s.long(source)
	if err != nil {
		return form{}, err
	}
	flags, err := s.Heap.Part(o.w, layout.JSRegExpFlags)
	if err != nil {
		return form{}, err
	}
	base := "/" + text.String() + trailer + "/"
	for _, f := range regExpFlags {
		if flags.Smi()>>f.bit&1 == 1 {
			base += string(f.flag)
		}
	}
	if before := o.of.before(s.l.V8, "RegExp", ""); before != "RegExp " {
		base = before + base
	}
	return form{base: base, open: "{", close: "}", usual: "RegExp", whole: true}, nil
}

// boxed is the form of objects that stand for a primitive value, such as Object(1).
func (s *printing) boxed(o *object) (form, error) {
	w, err := s.Heap.Part(o.w, layout.JSPrimitiveWrapperValue)
	if err != nil {
		return form{}, err
	}
	kind := "Boolean"
	if !w.IsSmi() {
		typ, err := s.Heap.Type(w)
		switch {
		case err != nil:
			return form{}, err
		case typ < s.l.At(layout.FirstNonStringType):
			kind = "String"
		case typ == s.l.At(layout.TypeHeapNumber):
			kind = "Number"
		case typ == s.l.At(layout.TypeSymbol):
			kind = "Symbol"
		case typ == s.l.At(layout.TypeBigInt):
			kind = "BigInt"
		case typ != s.l.At(layout.TypeOddball):
			return form{}, fmt.Errorf("its value is a %s", s.what(w, typ))
		}
	} else {
		kind = "Number"
	}
	made := ""
	switch o.of.name {
	case kind:
	case "":
		made = " (null prototype)"
	default:
		made = " (" + o.of.name + ")"
	}
	base := "[" + kind + made + ": " + s.value(w, 0) + "]"
	if o.of.tag != "" && o.of.tag != o.of.name {
		base += " [" + o.of.tag + "]"
	}
	return form{base: base, open: "{", close: "}", usual: kind}, nil
}

func (s *printing) bigInt(w heap.Word) string {
	negative, digits, bits, err := s.Heap.BigInt(w)
	switch {
	case err != nil:
		return unread(err)
	case digits == nil && bits > 0, !s.afford(32 * len(digits)):
		return fmt.Sprintf("<BigInt of %d bits>", bits)
	}
	n := new(big.Int)
	for i := len(digits) - 1; i >= 0; i-- {
		n.Or(n.Lsh(n, 64), new(big.Int).SetUint64(digits[i]))
	}
	text := n.String() + "n"
	if negative {
		text = "-" + text
	}
	return text
}
