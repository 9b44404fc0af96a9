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
// the map's own, a segment has none - 1 - the index. So has a place in heads.
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
		if source := int(s.source) - base; s.source != none && source < len(texts) {
			t := &n.texts[source]
			if t.lines == nil {
				t.read(texts[source], maxLines-n.lines)
				n.lines += len(t.lines)
			}
			n.name(s, t)
		}
	}
}

// name takes what the text has where a segment leads to.
func (n *sourceNames) name(s *segment, t *sourceText) {
	at := t.offset(int(s.line), int(s.origin))
	if at < 0 {
		return
	}
	if s.name == none {
		s.name = n.index(t.declared(at))
	}
	if head := n.index(t.head(at)); head != none {
		n.m.heads[place{s.source, s.line, s.origin}] = head
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
	return m.nameAt(line, column, false)
}

// headOf returns what the source calls the function whose parameter list begins at a line and column of the generated
// code, directly behind the word function. Minifiers take the name away where they put a function in the place of its
// only call: SWC does, so Next.js and Rspack. Then "function" or "async function" leads to these words in the source,
// or what follows the parenthesis to the first parameter or to the name. Empty: none of them does.
func (m *Map) headOf(line, column int) string {
	for _, c := range []int{column - len("function"), column - len("async function"), column + len("(")} {
		for _, s := range m.beginAt(line, c) {
			if n, ok := m.heads[place{s.source, s.line, s.origin}]; ok {
				return m.names[2*none-n]
			}
		}
	}
	return ""
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

// offset returns where a line and column, both 0-based and the column in UTF-16 units, are in the text. -1: nowhere.
func (t *sourceText) offset(line, column int) int {
	if line >= len(t.lines) {
		return -1
	}
	start, end := int(t.lines[line]), len(t.text)
	if line+1 < len(t.lines) {
		end = int(t.lines[line+1])
	}
	at := column
	if !t.ascii {
		at = byteOffset(t.text[start:end], column)
	}
	if at < 0 || at >= end-start {
		return -1
	}
	return start + at
}

// maxColumn bounds how far a line is read to find a column, where characters have more than one byte.
const maxColumn = 256

// declared returns the identifier that begins at an offset, if a keyword before it says that it is declared there, or
// it is a private method's. Otherwise it is empty: the segment of a function without a name may lead to any token of
// it, such as a parameter.
func (t *sourceText) declared(at int) string {
	if t.text[at] == '#' && at > 0 && t.text[at-1] != '.' {
		return t.text[at : at+1+len(t.identifier(at+1))]
	}
	switch t.keyword(at) {
	case "function", "class", "const", "let", "var":
		return t.identifier(at)
	}
	return ""
}

// head returns the name of a function whose declaration begins at an offset, or whose name or first parameter does.
func (t *sourceText) head(at int) string {
	if t.follows(at, "async ") {
		at += len("async ")
	}
	if t.follows(at, "function ") {
		return t.identifier(at + len("function "))
	}
	name := at
	if open := t.skip(at, " \t\r\n"); open > 0 && t.text[open-1] == '(' {
		before := t.text[max(0, open-1-window) : open-1]
		name = open - 1 - len(before) + len(strings.TrimRightFunc(before, isIdentifier))
	}
	if t.keyword(name) == "function" {
		return t.identifier(name)
	}
	return ""
}

func (t *sourceText) follows(at int, word string) bool { return strings.HasPrefix(t.text[at:], word) }

// identifier returns the identifier that begins at an offset.
func (t *sourceText) identifier(at int) string {
	rest := t.text[at:min(at+maxName, len(t.text))]
	return rest[:len(rest)-len(strings.TrimLeftFunc(rest, isIdentifier))]
}

// window is how much is read before an identifier, in bytes, to find a keyword or a parenthesis.
const window = 64

// skip returns where the characters of a set begin that are before an offset.
func (t *sourceText) skip(at int, set string) int {
	before := t.text[max(0, at-window):at]
	return at - len(before) + len(strings.TrimRight(before, set))
}

// keyword returns the word before an identifier that begins at an offset, of the same line.
func (t *sourceText) keyword(at int) string {
	end := t.skip(at, " \t*")
	if end == at {
		return ""
	}
	before := t.text[max(0, end-window):end]
	return before[len(strings.TrimRightFunc(before, isIdentifier)):]
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
