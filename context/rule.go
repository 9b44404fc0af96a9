// Package context tells which request a sample belongs to: by rules, each a path from the store of an
// AsyncLocalStorage to a value that becomes a label. The paths are walked in the kernel at the instant of the sample;
// this package makes the rules, learns from the process where its objects keep what they name, and makes labels of
// what was read.
package context

import (
	"fmt"
	"strings"
)

// Step is one step of a path: a property, or the entry of a JavaScript Map whose key is a symbol.
type Step struct {
	Name   string // property name, or description of the symbol
	Symbol bool
}

// Rule says which value becomes a label.
type Rule struct {
	Label string
	Store string // name of the AsyncLocalStorage; empty for any
	Path  []Step // empty for the store itself
	// Unless is a label that makes this one needless: once it has a value the path is not walked. May be empty.
	Unless string
}

// ParseRule reads NAME=PATH, where PATH is property names with dots between them, after als("NAME") if only the
// AsyncLocalStorage of that name is meant: endpoint=endpoint, tenant=user.tenant, user=als("session").user.id.
func ParseRule(s string) (Rule, error) {
	label, path, ok := strings.Cut(s, "=")
	r := Rule{Label: strings.TrimSpace(label)}
	path = strings.TrimSpace(path)
	if !ok || r.Label == "" || path == "" {
		return Rule{}, fmt.Errorf("label %q: want NAME=PATH, for example tenant=user.tenant", s)
	}
	if rest, named := strings.CutPrefix(path, `als("`); named {
		name, after, closed := strings.Cut(rest, `")`)
		if !closed || name == "" || (after != "" && after[0] != '.') {
			return Rule{}, fmt.Errorf("label %q: want als(\"NAME\") or als(\"NAME\").PATH", s)
		}
		r.Store = name
		if path = strings.TrimPrefix(after, "."); path == "" && after == "" {
			return r, nil
		}
	}
	if strings.ContainsAny(path, "()") {
		return Rule{}, fmt.Errorf("label %q: want als(\"NAME\") or als(\"NAME\").PATH", s)
	}
	for _, name := range strings.Split(path, ".") {
		if name == "" {
			return Rule{}, fmt.Errorf("label %q: an empty property name in the path", s)
		}
		r.Path = append(r.Path, Step{Name: name})
	}
	return r, nil
}

// The labels that the built-in rules make.
const (
	TraceID = "trace_id"
	SpanID  = "span_id"
	Route   = "http.route"
	Method  = "http.request.method"
	URLPath = "url.path"

	oldMethod = "http.method" // semantic conventions before 1.23
	oldTarget = "http.target"
)

// OpenTelemetry are the rules for the OpenTelemetry SDK for JavaScript: its store is a context object with a Map from
// symbols to the span and to what the HTTP instrumentation knows of the request. (@opentelemetry/api,
// src/context/context.ts; @opentelemetry/core, src/trace/rpc-metadata.ts)
func OpenTelemetry() []Rule {
	root := Step{Name: "_currentContext"}
	span := []Step{root, {Name: "OpenTelemetry Context Key SPAN", Symbol: true}, {Name: "_spanContext"}}
	rpc := []Step{root, {Name: "OpenTelemetry SDK Context Key RPC_METADATA", Symbol: true}}
	rules := []Rule{
		{Label: TraceID, Path: append(span[:3:3], Step{Name: "traceId"})},
		{Label: SpanID, Path: append(span[:3:3], Step{Name: "spanId"})},
		{Label: Route, Path: append(rpc[:2:2], Step{Name: "route"})},
	}
	for _, name := range []string{Method, URLPath, oldMethod, oldTarget} {
		path := append(rpc[:2:2], Step{Name: "span"}, Step{Name: "attributes"}, Step{Name: name})
		rules = append(rules, Rule{Label: name, Path: path, Unless: Route})
	}
	return rules
}
