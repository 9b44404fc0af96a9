package context

import (
	"fmt"
	"strings"
)

// Rule says which value becomes a label.
type Rule struct {
	Label  string // key of the label
	Source Source // whose rule it is; Rules for the user's
	Store  string // name of the AsyncLocalStorage; empty for any. They have names from Node.js 24 on.
	Path   []Step // from the store to the value; empty for the store itself
	// Unless is the key of a label of the same source, as its first rule makes it. Once that label has a value, this
	// rule's path is not followed. Empty for none.
	Unless string
	Bytes  bool // the value is an array of bytes, which becomes hexadecimal digits; else a text, number or boolean
	// Time says that the value is a time since 1970, which becomes nanoseconds: an array of seconds and nanoseconds, or
	// a number of milliseconds.
	Time bool
}

// String writes the path of a rule as ParseRule reads it, without the label's key.
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
