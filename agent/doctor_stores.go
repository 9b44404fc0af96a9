package agent

import (
	"fmt"
	"slices"
	"strings"
	"time"

	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// Store is the store of an AsyncLocalStorage as it was found in the process. No values are kept.
type Store struct {
	Name          string   // of the AsyncLocalStorage; empty where it has none, or where it is not known which it is
	OpenTelemetry bool     // it is the context of OpenTelemetry's SDK
	Properties    []string // paths to all properties, two deep; empty for a store that is no object
	Values        []string // those of them that are strings or numbers, so can be labels
}

// How long a process is watched for a frame, and how often it is looked at. It has none between requests.
const (
	watchShort = 30 * time.Millisecond
	watchLong  = 2 * time.Second
	watchEvery = 500 * time.Microsecond
)

// Limits of what is told of stores.
const (
	maxStores     = 16
	maxShown      = 40 // properties of a store
	propertyDepth = 2
)

// current is what was found to be current in the main thread: an AsyncContextFrame, or the stores of a resource.
type current struct {
	frame  heap.Word    // 0 = a resource
	stores []heap.Entry // of a resource without keys: what is known of these is a symbol
}

// current looks once.
func (p *looked) current() (c current, ok bool) {
	if at := p.l.At(layout.IsolateCPED); at >= 0 {
		w, err := p.r.WordAt(p.at + uint64(at))
		if err != nil {
			return c, false
		}
		if t, err := p.r.Type(w); err == nil && t == p.l.At(layout.TypeJSMap) {
			c.frame = w
			c.stores, err = p.r.Entries(w)
			return c, err == nil
		}
	}
	hooks, err := p.asyncHooks()
	if err != nil {
		return c, false
	}
	resource, err := hooks.Current(p.r)
	if err != nil || resource == 0 {
		return c, false
	}
	values, err := reqctx.StoresOf(p.r, resource)
	for _, v := range values {
		c.stores = append(c.stores, heap.Entry{Value: v})
	}
	return c, err == nil && slices.ContainsFunc(c.stores, func(e heap.Entry) bool { return !p.isOddball(e.Value) })
}

// asyncHooks finds those of the main thread's isolate once. At times it refers to no context, then nothing is found.
func (p *looked) asyncHooks() (*reqctx.AsyncHooks, error) {
	if p.hooks != nil {
		return p.hooks, nil
	}
	if err := p.l.Require(hooksFields...); err != nil {
		return nil, err
	}
	h, err := reqctx.AsyncHooksOf(p.r, p.at, 0)
	if err != nil {
		return nil, err
	}
	p.hooks = &h
	return p.hooks, nil
}

// watch calls f with what it finds to be current, until f is content or the time is over.
func (p *looked) watch(d time.Duration, f func(current) bool) {
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(watchEvery) {
		if c, ok := p.current(); ok && f(c) {
			return
		}
	}
}

// saw corrects what version and options tell by what is seen, which is proof.
func (p *looked) saw(c current) {
	p.Frame = ContextFrame{On: c.frame != 0, Seen: true, Why: "seen in the process"}
}

// watchFrame looks for stores, to see where they are.
func (p *looked) watchFrame(i *isolate) {
	if requireContext(p.l) != nil {
		return
	}
	p.watch(watchShort, func(c current) bool {
		if c.frame != 0 && i.checkFrame(c.frame) != nil {
			return false
		}
		p.saw(c)
		return true
	})
}

// stores reads the first stores that are current.
func (p *looked) stores() []Store {
	var out []Store
	p.watch(watchLong, func(c current) bool {
		p.saw(c)
		out = out[:0]
		for _, e := range c.stores[:min(len(c.stores), maxStores)] {
			if s, ok := p.store(e); ok {
				out = append(out, s)
			}
		}
		return len(out) > 0
	})
	return out
}

// store reads one store; ok is false where there is none: it is undefined, or was removed. Its AsyncLocalStorage is known
// where it is the key.
func (p *looked) store(e heap.Entry) (s Store, ok bool) {
	if w, err := p.r.Named(e.Key, "#name"); err == nil {
		s.Name, _ = p.r.String(w, maxStoreName)
	}
	if p.isValue(e.Value) {
		return s, true
	}
	p.properties(&s, e.Value, "", 1)
	for _, path := range s.Properties {
		s.OpenTelemetry = s.OpenTelemetry || path == "_currentContext"
	}
	return s, len(s.Properties) > 0
}

const maxStoreName = 256

// properties adds the properties of an object, and of the objects that it refers to.
func (p *looked) properties(s *Store, object heap.Word, prefix string, depth int) {
	_, class, err := p.r.Moved(object)
	if err != nil {
		return
	}
	if t, err := p.r.TypeOf(class); err != nil || t < p.l.At(layout.FirstNonStringType) {
		return
	}
	shape, err := p.r.Shape(class)
	if err != nil {
		return
	}
	for _, property := range shape.Properties {
		if property.Symbol || !canBeTyped(property.Name) || len(s.Properties) == maxShown {
			continue
		}
		path := prefix + property.Name
		s.Properties = append(s.Properties, path)
		value, err := p.r.Property(object, property.Slot)
		switch {
		case err != nil:
		case p.isValue(value):
			s.Values = append(s.Values, path)
		case depth < propertyDepth && p.isPlain(value):
			p.properties(s, value, path+".", depth+1)
		}
	}
}

// canBeTyped reports whether a name can be a step of a rule.
func canBeTyped(name string) bool {
	return name != "" && !strings.ContainsAny(name, ".#=\"' \n\t")
}

// isValue reports whether a word is what a label is made of: a string or a number.
func (p *looked) isValue(w heap.Word) bool {
	if w.IsSmi() {
		return true
	}
	t, err := p.r.Type(w)
	return err == nil && (t < p.l.At(layout.FirstNonStringType) || t == p.l.At(layout.TypeHeapNumber))
}

func (p *looked) isOddball(w heap.Word) bool {
	t, err := p.r.Type(w)
	return err == nil && t == p.l.At(layout.TypeOddball)
}

func (p *looked) isPlain(w heap.Word) bool {
	t, err := p.r.Type(w)
	return err == nil && t == p.l.At(layout.TypeJSObject)
}

// maxRules bounds the rules that are offered for one store.
const maxRules = 4

// vague are names that say nothing without what they belong to.
var vague = []string{"id", "name", "type", "key", "value"}

// rules offers a label for each of the first values of the store, named by the last step of its path. They are such as
// record takes.
func (s *Store) rules() []string {
	if s.OpenTelemetry {
		return nil
	}
	if s.Name != "" && len(s.Properties) == 0 && canBeTyped(s.Name) {
		return []string{fmt.Sprintf(`%s=als("%s")`, s.Name, s.Name)}
	}
	var out, used []string
	for _, path := range s.Values {
		label := path[strings.LastIndexByte(path, '.')+1:]
		if slices.Contains(used, label) || slices.Contains(vague, label) {
			label = path
		}
		rule := label + "=" + path
		if _, err := reqctx.ParseRule(rule); err != nil || len(out) == maxRules {
			continue
		}
		out, used = append(out, rule), append(used, label)
	}
	return out
}
