package pprofx

import (
	"fmt"
	"slices"
	"strconv"
)

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
		return fmt.Errorf("%s %q is unknown", typeName, text)
	}
	*to = T(i)
	return nil
}

// UnmarshalText reads what String returns. An unknown name is an error.
func (k *Kind) UnmarshalText(text []byte) error { return parseName(k, "Kind", kindNames[:], text) }

// UnmarshalText reads what String returns. An unknown name is an error.
func (t *Tier) UnmarshalText(text []byte) error { return parseName(t, "Tier", tierNames[:], text) }

// UnmarshalText reads what String returns. An unknown name is an error.
func (s *State) UnmarshalText(text []byte) error { return parseName(s, "State", stateNames[:], text) }

// UnmarshalText reads what String returns. An unknown name is an error.
func (r *StopReason) UnmarshalText(text []byte) error {
	return parseName(r, "StopReason", stopNames[:], text)
}

// UnmarshalText reads what String returns. An unknown name is an error.
func (r *LostReason) UnmarshalText(text []byte) error {
	return parseName(r, "LostReason", lostNames[:], text)
}
