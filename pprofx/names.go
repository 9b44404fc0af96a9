package pprofx

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ErrUnknownName is the error for a name that this version does not know. Where it stands in a file, a newer one may
// have written it.
var ErrUnknownName = errors.New("is unknown")

// nameOf is names[n], and TYPE(n) for a number that has no name.
func nameOf(typeName string, names []string, n uint8) string {
	if int(n) < len(names) {
		return names[n]
	}
	return typeName + "(" + strconv.Itoa(int(n)) + ")"
}

// parseName sets to to the number of a name.
func parseName[T ~uint8](to *T, typeName string, names []string, text []byte) error {
	i := slices.Index(names, string(text))
	if i < 0 {
		known := strings.TrimSpace(strings.Join(names, " ")) // the first may be empty
		return fmt.Errorf("%s %q %w (known: %s)", typeName, text, ErrUnknownName, known)
	}
	*to = T(i)
	return nil
}
