package inspect

import (
	"math"
	"slices"
	"strconv"

	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/value"
)

// Store is a store of an AsyncLocalStorage that was current in a thread.
type Store struct {
	Name          string   `json:"name,omitempty"`          // of the AsyncLocalStorage; empty if not known
	OpenTelemetry bool     `json:"openTelemetry,omitempty"` // it is the context of OpenTelemetry's SDK
	Sentry        bool     `json:"sentry,omitempty"`        // it is that of Sentry 11 and later
	Datadog       bool     `json:"datadog,omitempty"`       // it is dd-trace's
	Package       bool     `json:"package,omitempty"`       // it is that of the npm package hotspan
	Handle        bool     `json:"handle,omitempty"`        // opaque, of dd-trace: see StoreLocation.FixHandles
	Properties    []string `json:"properties,omitempty"`    // paths to all, two deep, a route's three; empty: no object
	Values        []string `json:"-"`                       // of these, what can be a label: strings, numbers, booleans
	More          int      `json:"more,omitempty"`          // properties that are not in Properties, and what they have
	Deeper        bool     `json:"deeper,omitempty"`        // it has objects deeper in it, which are not looked at
	// Examples are values of the store as text, by path; the path of a store that is itself a value is empty. Nil if
	// examples are off.
	Examples map[string]string `json:"examples,omitempty"`
	Labels   []string          `json:"labels,omitempty"` // labels that the given rules make of it
}

// Limits of reported stores.
const (
	maxStores     = 16
	maxShown      = 40 // properties of a store
	propertyDepth = 2  // and 3 for what is in a property called route
	maxStoreName  = 256
	maxExample    = 40 // characters
)

// StoreReader reads the stores of one process.
type StoreReader struct {
	r        *heap.Reader
	l        *layout.Layout
	examples bool
	labels   *LabelReader // of the labels that rules make; nil if there are none
}

// NewStoreReader makes a StoreReader without examples and labels.
func NewStoreReader(r *heap.Reader) *StoreReader { return &StoreReader{r: r, l: r.Layout()} }

// Stores reads the stores of the entries of a Current.
func (p *StoreReader) Stores(entries []heap.Entry) []Store {
	var out []Store
	for _, e := range entries[:min(len(entries), maxStores)] {
		if s, ok := p.store(e); ok {
			out = append(out, s)
		}
	}
	return out
}

// store reads one store; ok is false if there is none: it is undefined, or was removed. Its AsyncLocalStorage is known
// if that is the key.
func (p *StoreReader) store(e heap.Entry) (s Store, ok bool) {
	if p.examples {
		s.Examples = map[string]string{}
	}
	if w, err := p.r.Named(e.Key, "#name"); err == nil {
		s.Name, _ = p.r.String(w, maxStoreName)
	}
	if text, is := p.value(e.Value); is {
		s.show("", text)
		return s, true
	}
	p.properties(&s, e.Value, nil)
	s.OpenTelemetry = slices.Contains(s.Properties, "_currentContext")
	s.Sentry = slices.Contains(s.Properties, "scope.refs")
	s.Datadog = slices.Contains(s.Properties, "span._spanContext")
	// (nodeaddon/lib/storage.js, nodeaddon/lib/text.js)
	s.Package = slices.Contains(s.Properties, `["hotspan labels"]`) || s.Name == "hotspan"
	s.Handle = slices.Equal(s.Properties, []string{"noop"}) && len(s.Values) == 0
	if p.labels != nil {
		for _, l := range p.labels.Of([]heap.Entry{e}) {
			s.Labels = append(s.Labels, l.Key)
		}
	}
	return s, len(s.Properties) > 0
}

func (s *Store) show(path, text string) {
	if s.Examples != nil {
		s.Examples[path] = text
	}
}

// properties adds the properties of an object or the entries of a Map, and those of the objects that it refers to.
func (p *StoreReader) properties(s *Store, object heap.Word, prefix []reqctx.Step) {
	for _, m := range p.members(object) {
		if len(s.Properties) == maxShown {
			s.More++
			continue
		}
		steps, isRoute := append(slices.Clone(prefix), m.step), m.step.Name == "route"
		path := reqctx.PathString(steps)
		s.Properties = append(s.Properties, path)
		if text, is := p.value(m.value); is {
			s.Values = append(s.Values, path)
			s.show(path, text)
		} else if p.isPlain(m.value) && (len(steps) < propertyDepth || len(steps) == propertyDepth && isRoute) {
			p.properties(s, m.value, steps)
		} else {
			s.Deeper = s.Deeper || p.isPlain(m.value)
		}
	}
}

// member is a property or an entry of a Map.
type member struct {
	step  reqctx.Step
	value heap.Word
}

func (p *StoreReader) members(object heap.Word) []member {
	_, class, err := p.r.Forwarded(object)
	if err != nil {
		return nil
	}
	shape, err := p.r.Shape(class)
	if err != nil || shape.Type < p.l.At(layout.FirstNonStringType) || shape.Type == p.l.At(layout.TypeOddball) {
		return nil
	}
	var out []member
	var named []heap.NamedValue
	isMap := shape.Type == p.l.At(layout.TypeJSMap)
	if isMap {
		named, _ = p.r.NamedEntries(object)
	} else if shape.Dictionary {
		named, _ = p.r.Dictionary(object)
	}
	for _, n := range named {
		if n.Name != "" && (isMap || !n.Symbol) {
			out = append(out, member{stepTo(n, isMap), n.Value})
		}
	}
	for _, property := range shape.Properties {
		if value, err := p.r.Property(object, property.Slot); err == nil && !property.Symbol && property.Name != "" {
			out = append(out, member{reqctx.Step{Name: property.Name}, value})
		}
	}
	return out
}

func stepTo(n heap.NamedValue, ofMap bool) reqctx.Step {
	s := reqctx.Step{Name: n.Name}
	switch {
	case !ofMap:
	case n.Registered:
		s.Kind = reqctx.GlobalEntry
	case n.Symbol:
		s.Kind = reqctx.SymbolEntry
	default:
		s.Kind = reqctx.MapEntry
	}
	return s
}

// value returns a value that can be a label, a string, a number or a boolean, as text.
func (p *StoreReader) value(w heap.Word) (text string, ok bool) {
	if w.IsSmi() {
		return strconv.Itoa(w.Smi()), true
	}
	t, err := p.r.Type(w)
	switch {
	case err != nil:
		return "", false
	case t < p.l.At(layout.FirstNonStringType):
		text, _ := p.r.String(w, maxExample+1)
		if r := []rune(text); len(r) > maxExample {
			text = string(r[:maxExample-1]) + "…"
		}
		return strconv.Quote(text), true
	case t == p.l.At(layout.TypeHeapNumber):
		object, _, _ := p.r.Forwarded(w)
		bits, err := p.r.WordAt(uint64(object) - 1 + uint64(p.l.At(layout.HeapNumberValue)))
		return value.Number(math.Float64frombits(uint64(bits))), err == nil
	}
	is, ok := p.r.Boolean(w)
	return strconv.FormatBool(is), ok
}

func (p *StoreReader) isPlain(w heap.Word) bool {
	t, err := p.r.Type(w)
	return err == nil && (t == p.l.At(layout.TypeJSObject) || t == p.l.At(layout.TypeJSMap))
}
