// Package context tells which request a sample belongs to: by rules, each a path from the store of an
// AsyncLocalStorage to a value that becomes a label. The paths are walked in the kernel at the instant of the sample;
// this package makes the rules, learns from the process where its objects keep what they name, and makes labels of
// what was read.
package context

import (
	"errors"
	"fmt"
	"strings"
)

// Rule says which value becomes a label.
type Rule struct {
	Label  string
	Reader Reader // whose rule it is
	Store  string // name of the AsyncLocalStorage; empty for any
	Path   []Step // empty for the store itself
	// Unless is a label of the same reader that makes this one needless: once it has a value the path is not walked.
	// May be empty.
	Unless string
	Bytes  bool // the value is an array of bytes, not a string or number
}

// ParseRule reads NAME=PATH. A path is written as in JavaScript, from the store of any AsyncLocalStorage:
//
//	tenant=user.tenant                    tenant=store.user.tenant
//	id=als("session").user.id             only the store of the AsyncLocalStorage of this name
//	tenant=get("tenant")                  the store is a Map; also get(Symbol.for("key")) and get(Symbol("description"))
//	sku=order["line items"][0].sku        any name, and elements of arrays
//	tenant=baggage("tenant")              an entry of OpenTelemetry's baggage
func ParseRule(s string) (Rule, error) {
	label, text, ok := strings.Cut(s, "=")
	r := Rule{Label: strings.TrimSpace(label)}
	text = strings.TrimSpace(text)
	if !ok || r.Label == "" || text == "" {
		return Rule{}, fmt.Errorf("label %q: want NAME=PATH, for example tenant=user.tenant", s)
	}
	if err := r.parsePath(text); err != nil {
		return Rule{}, fmt.Errorf("label %q: %w", s, err)
	}
	return r, nil
}

// parsePath reads the part of a rule behind the label.
func (r *Rule) parsePath(text string) error {
	p := path{text}
	var err error
	switch {
	case p.take("als("):
		r.Store, err = p.closed(`als("NAME")`)
	case p.take("baggage("):
		var key string
		if key, err = p.closed(`baggage("KEY")`); err == nil && p.rest != "" {
			err = errors.New(`want nothing behind baggage("KEY")`)
		}
		r.Path = baggage(key)
		return err
	case p.rest == "store", strings.HasPrefix(p.rest, "store."), strings.HasPrefix(p.rest, "store["):
		p.take("store")
	default:
		r.Path, err = p.steps(true)
		return err
	}
	if err == nil {
		r.Path, err = p.steps(false)
	}
	return err
}

// closed reads a name in quotation marks and the parenthesis that closes it.
func (p *path) closed(form string) (string, error) {
	name, err := p.quoted()
	if err != nil || !p.take(")") {
		return "", fmt.Errorf("want %s", form)
	}
	return name, nil
}

// String writes the path of a rule as ParseRule reads it.
func (r *Rule) String() string {
	path := PathString(r.Path)
	switch {
	case r.Store != "":
		head := fmt.Sprintf("als(%q)", r.Store)
		if path != "" && path[0] != '[' {
			head += "."
		}
		return head + path
	case path == "", len(r.Path) > 0 && r.Path[0].Name == "store" && r.Path[0].Kind == Property:
		return strings.TrimSuffix("store."+path, ".")
	}
	return path
}
