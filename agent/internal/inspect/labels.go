package inspect

import (
	"math"
	"slices"
	"strconv"
	"unicode/utf16"

	"github.com/hotspan/hotspan/agent/internal/process"
	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// LabelReader reads the labels that rules make of stores. It is not safe for concurrent use.
type LabelReader struct {
	heap   *heap.Reader
	layout *layout.Layout
	rules  []reqctx.Rule
	tree   *reqctx.Tree // of the rules
	number []int        // of the label of each rule in the tree
}

// NewLabelReader returns nil if the stores of a process cannot be read, or no rule needs them.
func NewLabelReader(p *process.Process, rules []reqctx.Rule) *LabelReader {
	if process.CanReadRequest(p.Layout) != nil {
		return nil
	}
	return newLabelReader(p.Heap(), rules)
}

func newLabelReader(r *heap.Reader, rules []reqctx.Rule) *LabelReader {
	tree, err := reqctx.NewTree(rules)
	if err != nil || len(rules) == 0 {
		return nil
	}
	c := &LabelReader{heap: r, layout: r.Layout(), rules: rules, tree: tree}
	for i := range rules {
		c.number = append(c.number, c.numberOf(&rules[i]))
	}
	return c
}

// numberOf returns the number of a rule's label, the first one that no rule before has.
func (c *LabelReader) numberOf(r *reqctx.Rule) int {
	for i, l := range c.tree.Labels {
		if l.Label == r.Label && l.Source == r.Source && l.Bytes == r.Bytes && l.Unless == r.Unless &&
			!slices.Contains(c.number, i) {
			return i
		}
	}
	return -1 // no rule without a label
}

// valueOf is the value of a rule.
type valueOf struct {
	rule *reqctx.Rule
	reqctx.Value
}

// Current returns the labels of the stores that are current in an isolate. in is a context of its JavaScript code.
func (c *LabelReader) Current(isolate uint64, in heap.Word) []pprofx.Label {
	current, ok := NewIsolate(c.heap, isolate).In(in).Current()
	if !ok {
		return nil
	}
	return c.Of(current.Stores)
}

// Of returns the labels of stores that belong together, each by its AsyncLocalStorage, as in a Current.
func (c *LabelReader) Of(stores []heap.Entry) []pprofx.Label {
	labels, _ := c.Began(stores)
	return labels
}

// Began is Of, with when the request began as reqctx.RequestStart has it, in nanoseconds since 1970; 0 is not known.
func (c *LabelReader) Began(stores []heap.Entry) (out []pprofx.Label, began int64) {
	var all []valueOf
	for _, store := range stores {
		name := ""
		if w, err := c.heap.Named(store.Key, "#name"); err == nil {
			name, _ = c.heap.String(w, maxText)
		}
		for i := range c.rules {
			if v, ok := c.follow(i, name, store.Value); ok {
				all = append(all, valueOf{&c.rules[i], v})
			}
		}
	}
	var values []reqctx.Value
	for _, f := range all {
		if !f.needless(all) {
			values = append(values, f.Value)
		}
	}
	var sets reqctx.LabelsBySource
	c.tree.Decode(values, true, &sets)
	for _, l := range reqctx.Merge(&sets) {
		switch l.Key {
		case pprofx.ContextLabel:
		case reqctx.RequestStart:
			began = l.Num
		default:
			out = append(out, pprofx.Label{Key: l.Key, Str: l.Str, Num: l.Num})
		}
	}
	return out, began
}

// needless reports whether a label stands in for another one that has a value, or for one of the same key that is read
// by a rule before it.
func (f *valueOf) needless(all []valueOf) bool {
	return f.rule.Unless != "" && slices.ContainsFunc(all, func(o valueOf) bool {
		return o.rule.Label == f.rule.Unless && o.rule.Source == f.rule.Source && o.rule.Unless != f.rule.Unless
	})
}

// follow reads the value to which a rule leads from a store.
func (c *LabelReader) follow(rule int, name string, store heap.Word) (v reqctx.Value, ok bool) {
	r := &c.rules[rule]
	if r.Store != "" && r.Store != name {
		return v, false
	}
	w, ok := reqctx.Follow(c.heap, store, r.Path)
	if !ok {
		return v, false
	}
	v.Label = c.number[rule]
	if r.Bytes {
		v.Bytes = c.bytes(w)
		return v, len(v.Bytes) > 0
	}
	if r.Time && c.time(w, &v) {
		return v, true
	}
	return v, c.value(w, &v)
}

// Limits of a value, as for samples (MAX_STRING and MAX_BYTES of limits.h).
const (
	maxText  = 512 // bytes, as V8 keeps the text: one or two for a character
	maxBytes = 16
)

// bytes reads an array of numbers from 0 to 255.
func (c *LabelReader) bytes(w heap.Word) (out []byte) {
	for i := range maxBytes {
		n, err := c.heap.Element(w, i)
		if err != nil || !n.IsSmi() || n.Smi() < 0 || n.Smi() > math.MaxUint8 {
			break
		}
		out = append(out, byte(n.Smi()))
	}
	return out
}

// time reads an array of seconds and nanoseconds.
func (c *LabelReader) time(w heap.Word, to *reqctx.Value) bool {
	var parts [2]int64
	for i, most := range [...]float64{math.MaxUint32, 1e9} {
		n, err := c.heap.Element(w, i)
		var v reqctx.Value
		if err != nil || !c.value(n, &v) || !v.IsNum || !(v.Num >= 0 && v.Num < most) {
			return false
		}
		parts[i] = int64(v.Num)
	}
	to.Nanos = parts[0]*1e9 + parts[1]
	return true
}

// value reads a text, a number or a boolean.
func (c *LabelReader) value(w heap.Word, to *reqctx.Value) bool {
	if w.IsSmi() {
		to.Num, to.IsNum = float64(w.Smi()), true
		return true
	}
	t, err := c.heap.Type(w)
	switch {
	case err != nil:
		return false
	case t < c.layout.At(layout.FirstNonStringType):
		to.Str, err = c.heap.String(w, maxText+1)
		cut(to)
		return err == nil
	case t == c.layout.At(layout.TypeHeapNumber):
		object, _, err := c.heap.Forwarded(w)
		if err != nil {
			return false
		}
		bits, err := c.heap.WordAt(uint64(object) - 1 + uint64(c.layout.At(layout.HeapNumberValue)))
		to.Num, to.IsNum = math.Float64frombits(uint64(bits)), true
		return err == nil
	}
	is, ok := c.heap.Boolean(w)
	to.Str = strconv.FormatBool(is)
	return ok
}

// cut leaves as much of a text as a sample would.
func cut(v *reqctx.Value) {
	units, most := utf16.Encode([]rune(v.Str)), maxText
	if slices.ContainsFunc(units, func(u uint16) bool { return u > math.MaxUint8 }) {
		most /= 2
	}
	if len(units) > most {
		v.Str, v.Truncated = string(utf16.Decode(units[:most])), true
	}
}
