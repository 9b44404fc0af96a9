package sourcemap

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// contents are the texts of the sources, in their order. What is no text is an empty one: a map may be used without it.
type contents []string

func (c *contents) UnmarshalJSON(b []byte) error {
	*c = nil
	d := json.NewDecoder(bytes.NewReader(b))
	if first, err := d.Token(); err != nil || first != json.Delim('[') {
		return nil
	}
	for len(*c) < maxEntries && d.More() {
		var text string
		if d.Decode(&text) != nil {
			*c = nil
			break
		}
		*c = append(*c, text)
	}
	return nil
}

// sourceNames gives names to segments that have none, from the texts of the sources. Some tools leave names out though
// identifiers have become other ones: Next.js does so for the pages and handlers of a service. To tell these names from
// the map's own, a segment has none - 1 - the index.
type sourceNames struct {
	m     *Map
	texts []sourceText
	lines int              // of texts
	known map[string]int32 // what a segment has for a name
}

// nameSegments does so for the segments from first on, which are of sources that begin at base.
func (m *Map) nameSegments(first, base int, texts contents) {
	n := sourceNames{m: m, texts: make([]sourceText, len(texts)), known: map[string]int32{}}
	for i := first; i < len(m.segments); i++ {
		s := &m.segments[i]
		if source := int(s.source) - base; s.name == none && s.source != none && source < len(texts) {
			t := &n.texts[source]
			if t.lines == nil {
				t.read(texts[source], maxLines-n.lines)
				n.lines += len(t.lines)
			}
			s.name = n.index(t.declared(int(s.line), int(s.origin)))
		}
	}
}

func (n *sourceNames) index(name string) int32 {
	if name == "" {
		return none
	}
	i, ok := n.known[name]
	if !ok {
		if len(n.m.names) >= 2*maxEntries {
			return none
		}
		i = 2*none - int32(len(n.m.names))
		name = strings.Clone(name)
		n.m.names = append(n.m.names, name)
		n.known[name] = i
	}
	return i
}

// declaredAt returns what the identifier that begins at a line and column is called where the source declares it, if
// the map has no name for it. Empty: that is not known.
func (m *Map) declaredAt(line, column int) string {
	return m.nameAt(line, column, func(name int32) bool { return name < none })
}

// sourceText is the text of a source, with the start of each of its lines.
type sourceText struct {
	text  string
	lines []int32
	ascii bool
}

// read reads the text if it has fewer lines than a limit. One with characters of which some tools say that they end a
// line, and some that they do not, is taken for empty.
func (t *sourceText) read(text string, limit int) {
	if strings.Count(text, "\n") >= limit || strings.ContainsAny(text, "\u2028\u2029") ||
		strings.Count(text, "\r") != strings.Count(text, "\r\n") {
		text = ""
	}
	t.text, t.lines, t.ascii = text, []int32{0}, true
	for i := range len(text) {
		t.ascii = t.ascii && text[i] < utf8.RuneSelf
		if text[i] == '\n' {
			t.lines = append(t.lines, int32(i+1))
		}
	}
}

// keywordWindow is how much is read before an identifier, in bytes.
const keywordWindow = 32

// maxColumn bounds how far a line is read to find a column, where characters have more than one byte.
const maxColumn = 256

// declared returns the identifier that begins at a line and column, both 0-based and the column in UTF-16 units, if a
// keyword before it says that it is declared there. Otherwise it is empty: the segment of a function without a name may
// lead to any token of it, such as a parameter.
func (t *sourceText) declared(line, column int) string {
	if line >= len(t.lines) {
		return ""
	}
	text := t.text[t.lines[line]:]
	if line+1 < len(t.lines) {
		text = t.text[t.lines[line]:t.lines[line+1]]
	}
	at := column
	if !t.ascii {
		at = byteOffset(text, column)
	}
	if at < 0 || at >= len(text) {
		return ""
	}
	window := text[max(0, at-keywordWindow):at]
	before := strings.TrimRight(window, " \t*")
	if len(before) == len(window) {
		return ""
	}
	switch before[len(strings.TrimRightFunc(before, isIdentifier)):] {
	case "function", "class", "const", "let", "var":
		rest := text[at:min(at+maxName, len(text))]
		return rest[:len(rest)-len(strings.TrimLeftFunc(rest, isIdentifier))]
	}
	return ""
}

func isIdentifier(r rune) bool {
	return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// byteOffset converts a column in UTF-16 units; -1: there is none, or it is beyond maxColumn.
func byteOffset(text string, column int) int {
	if column > maxColumn {
		return -1
	}
	units := 0
	for i, r := range text {
		if units >= column {
			return i
		}
		units += max(1, utf16.RuneLen(r))
	}
	return -1
}
