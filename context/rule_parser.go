package context

import (
	"errors"
	"fmt"
	"strings"
)

// ParseRule reads NAME=PATH: the key of a label and a path, written as in JavaScript, from the store of any
// AsyncLocalStorage. White space around both is ignored.
//
//	tenant=user.tenant                    tenant=store.user.tenant
//	id=als("session").user.id             only the store of the AsyncLocalStorage of this name
//	tenant=get("tenant")                  the store is a JavaScript Map; also get(Symbol.for("key")) and
//	                                      get(Symbol("description"))
//	sku=order["line items"][0].sku        any name, and elements of arrays
//	tenant=baggage("tenant")              an entry of OpenTelemetry's baggage
//
// The error names the rule and what is wrong with it.
func ParseRule(s string) (Rule, error) {
	label, text, ok := strings.Cut(s, "=")
	r := Rule{Label: strings.TrimSpace(label)}
	text = strings.TrimSpace(text)
	if !ok || r.Label == "" || text == "" {
		return Rule{}, fmt.Errorf("label %q: want NAME=PATH, for example tenant=user.tenant", s)
	}
	var err error
	if r.Store, r.Path, err = parsePath(text); err != nil {
		return Rule{}, fmt.Errorf("label %q: %w", s, err)
	}
	return r, nil
}

// parsePath reads what a rule has behind the label.
func parsePath(text string) (store string, path []Step, err error) {
	p := pathParser{text}
	switch {
	case p.accept("als("):
		store, err = p.argument(`als("NAME")`)
	case p.accept("baggage("):
		key, err := p.argument(`baggage("KEY")`)
		if err == nil && p.rest != "" {
			err = errors.New(`want nothing behind baggage("KEY")`)
		}
		return "", baggage(key), err
	case p.rest == "store", strings.HasPrefix(p.rest, "store."), strings.HasPrefix(p.rest, "store["):
		p.accept("store")
	default:
		path, err = p.steps(true)
		return "", path, err
	}
	if err == nil {
		path, err = p.steps(false)
	}
	return store, path, err
}
