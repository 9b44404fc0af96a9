package value

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hotspan/hotspan/v8/layout"
)

// origin is what the prototypes of an object say of it: the name of the function that made it, empty if there is none,
// and its tag, empty if it has none.
type origin struct {
	name, tag string
	custom    bool // one of them has a function that prints objects
}

// Of these V8s on, which came with Node 22 and 26, util.inspect leaves out other tags than before. Those that came with
// releases of Node 22 before 22.20 and of Node 26 before 26.10 may show some more, or less.
var (
	tagsInNames  = layout.Version{Major: 12, Minor: 4}
	tagsWithDots = layout.Version{Major: 14, Minor: 6}
)

// before is what stands before the members of an object: which function made it, with a size, and its tag. (Node.js,
// lib/internal/util/inspect.js, getPrefix)
func (o origin) before(v layout.Version, usual, size string) string {
	switch {
	case o.name == "" && o.tag != "" && o.tag != usual:
		return "[" + usual + size + ": null prototype] [" + o.tag + "] "
	case o.name == "":
		return "[" + usual + size + ": null prototype] "
	case o.tag == "":
		return o.name + size + " "
	case v.Compare(tagsWithDots) >= 0:
		if dot := strings.LastIndex(o.tag, "."); o.name == o.tag || dot > 0 && o.name == o.tag[dot+1:] {
			return o.tag + size + " "
		}
	case o.name == o.tag || v.Compare(tagsInNames) >= 0 && tagInName(o.tag, o.name):
		return o.name + size + " "
	}
	return o.name + size + " [" + o.tag + "] "
}

// tagInName reports whether a name has a tag as a word of its own.
func tagInName(tag, name string) bool {
	_, rest, found := strings.Cut(name, tag)
	next, _ := utf8.DecodeRuneInString(rest)
	return found && (rest == "" || unicode.ToLower(next) != next)
}

// short stands for an object that is deeper than what is shown.
func (o origin) short(v layout.Version, usual string) string {
	text := strings.TrimRight(o.before(v, usual, ""), " ")
	if o.name == "" {
		return text
	}
	return "[" + text + "]"
}
