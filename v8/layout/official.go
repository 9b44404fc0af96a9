package layout

import (
	"embed"
	"encoding/hex"
	"fmt"
	"strings"
)

// Tables of official builds whose symbols are local, for binaries that have been stripped: a file for each V8, named by
// its first two numbers, with lines of a name and hexadecimal bytes. TestOfficial writes and compares them.
//
//go:embed official/*.txt
var officials embed.FS

// newestOfficial is the newest V8 that there are tables of.
func newestOfficial() (last Version) {
	files, _ := officials.ReadDir("official") // it is part of this program
	for _, f := range files {
		if n, ok := dotted([]byte(strings.TrimSuffix(f.Name(), ".txt")), 2); ok && v(n[0], n[1]).Compare(last) > 0 {
			last = v(n[0], n[1])
		}
	}
	return last
}

// official is a table of the official build of a V8; nil if there is none.
func official(v Version, name string) []byte {
	text, err := officials.ReadFile(officialPath(v))
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, name+" "); ok {
			b, err := hex.DecodeString(strings.TrimSpace(rest))
			if err != nil {
				return nil
			}
			return b
		}
	}
	return nil
}

func officialPath(v Version) string { return fmt.Sprintf("official/%d.%d.txt", v.Major, v.Minor) }
