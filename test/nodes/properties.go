package nodes

import (
	"strconv"
	"strings"
)

// Major is the first number of the version.
func (v Version) Major() int {
	first, _, _ := strings.Cut(v.Version, ".")
	n, _ := strconv.Atoi(first)
	return n
}

// Maglev reports whether V8 has the compiler Maglev. Versions before 22 do not know its options, and builds from 22.9
// on lack it until 23.
func (v Version) Maglev() bool { return v.Major() >= 23 || v.Major() == 22 && v.minor() < 9 }

func (v Version) minor() int {
	_, rest, _ := strings.Cut(v.Version, ".")
	second, _, _ := strings.Cut(rest, ".")
	n, _ := strconv.Atoi(second)
	return n
}

// AsyncContextFrame returns the options with which Node.js keeps the stores of AsyncLocalStorages in V8's
// AsyncContextFrame. It is false if the version has none.
func (v Version) AsyncContextFrame() (options []string, ok bool) {
	switch {
	case v.Major() >= 24:
		return nil, true
	case v.Major() >= 22:
		return []string{"--experimental-async-context-frame"}, true
	}
	return nil, false
}

// AsyncHooks returns the options with which Node.js keeps the stores of AsyncLocalStorages in the resources of
// async_hooks.
func (v Version) AsyncHooks() (options []string) {
	if v.Major() >= 24 {
		return []string{"--no-async-context-frame"}
	}
	return nil
}

// StorageNames reports whether an AsyncLocalStorage may have a name.
func (v Version) StorageNames() bool { return v.Major() >= 24 }

// Thorough returns the versions for tests that take long: the newest of each of the three newest even majors, which
// have long-term support.
func Thorough() []Version {
	newest := map[int]Version{}
	last := 0
	for _, v := range Versions() { // newer ones come later
		newest[v.Major()] = v
		last = max(last, v.Major()/2*2)
	}
	var out []Version
	for major := last - 4; major <= last; major += 2 {
		if v, ok := newest[major]; ok {
			out = append(out, v)
		}
	}
	return out
}
