package procs

import "strings"

// StatusField returns the words behind a key of a /proc/PID/status. ok is false if the key is missing.
func StatusField(status []byte, key string) (words []string, ok bool) {
	for line := range strings.Lines(string(status)) {
		if value, is := strings.CutPrefix(line, key+":"); is {
			return strings.Fields(value), true
		}
	}
	return nil, false
}
