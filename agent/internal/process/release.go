package process

import (
	"strconv"
	"strings"
)

// ParseRelease parses the first two numbers of a Node.js version or of a kernel release (uname -r), such as
// 6.8.0-40-generic or 6.1-rc3.
func ParseRelease(s string) (major, minor int, ok bool) {
	first, rest, found := strings.Cut(s, ".")
	digits := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
	if digits >= 0 {
		rest = rest[:digits]
	}
	major, err1 := strconv.Atoi(first)
	minor, err2 := strconv.Atoi(rest)
	return major, minor, found && err1 == nil && err2 == nil
}
