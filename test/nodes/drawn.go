package nodes

import (
	"hash/fnv"
	"os"
)

// Drawn returns every second one of a list for a test, or all of it: what the variable DRAW of the environment says,
// such as a commit, and the test's name decide whether it begins with the first or with the second. Without DRAW it
// returns the whole list.
func Drawn(list []Version, test string) []Version { return drawn(list, os.Getenv("DRAW"), test) }

func drawn(list []Version, draw, test string) (out []Version) {
	if draw == "" || len(list) < 2 {
		return list
	}
	h := fnv.New32a()
	h.Write([]byte(draw + test))
	for i := int(h.Sum32()>>16) % 2; i < len(list); i += 2 {
		out = append(out, list[i])
	}
	return out
}
