package nodes

import (
	"hash/fnv"
	"os"
)

// Drawn returns every third one of a list for a test, or all of it: what the variable DRAW of the environment says,
// such as a commit, and the test's name decide with which of the first three it begins. Without DRAW it returns the
// whole list.
func Drawn(list []Version, test string) []Version { return drawn(list, os.Getenv("DRAW"), test) }

func drawn(list []Version, draw, test string) (out []Version) {
	if draw == "" || len(list) == 0 {
		return list
	}
	h := fnv.New32a()
	h.Write([]byte(draw + test))
	for i := int(h.Sum32()>>16) % min(3, len(list)); i < len(list); i += 3 {
		out = append(out, list[i])
	}
	return out
}
