package report

import (
	"cmp"
	"strings"

	"github.com/hotspan/hotspan/pprofx"
)

// Place is samples of a function.
type Place struct {
	Name    string `json:"name"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"` // with most samples, of own functions, or of the call; 0 if unknown
	Samples int64  `json:"samples"`
}

// compare orders by samples, the greatest first.
func (p Place) compare(q Place) int {
	return cmp.Or(cmp.Compare(q.Samples, p.Samples), cmp.Compare(p.Name, q.Name), cmp.Compare(p.File, q.File),
		cmp.Compare(p.Line, q.Line))
}

// owner is whose code a function is.
type owner uint8

const (
	ofNode        owner = iota // Node's own, V8's, a library's or the kernel's
	ofPackage                  // that of an npm package
	ofApplication              // all other JavaScript
)

func ownerOf(f *pprofx.Frame) owner {
	switch {
	case f.Kind != pprofx.JS || f.File == "" || strings.HasPrefix(f.File, "node:"):
		return ofNode
	case strings.Contains(f.File, "/node_modules/"):
		return ofPackage
	default:
		return ofApplication
	}
}

// OfApplication reports whether a function of JavaScript is the application's: neither Node's own nor a package's.
func (p Place) OfApplication() bool {
	return ownerOf(&pprofx.Frame{Kind: pprofx.JS, File: p.File}) == ofApplication
}
