package labels

// maxNames bounds Names.
const maxNames = 1 << 12

// Names is a set of names, some of which are left out if there are too many.
type Names map[string]bool

// Add adds some names.
func (n Names) Add(all []string) {
	for _, name := range all {
		if len(n) < maxNames {
			n[name] = true
		}
	}
}
