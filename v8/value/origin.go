package value

// origin is what the prototypes of an object say of it: the name of the function that made it, empty if there is none,
// and its tag, empty if it has none.
type origin struct{ name, tag string }

// tagText is the tag in brackets, where it says more than the name.
func (o origin) tagText() string {
	if o.tag == "" || o.tag == o.name {
		return ""
	}
	return "[" + o.tag + "] "
}
