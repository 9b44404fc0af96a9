package repo

import (
	"go/scanner"
	"go/token"
	"path"
	"regexp"
	"strings"
	"testing"
)

// maxColumns bounds a line of code or prose: two such lines fit side by side on a wide screen.
const maxColumns = 120

// tabWidths are the columns from one tab stop to the next, by the extension of the files the rule holds for.
var tabWidths = map[string]int{
	".go": 4, ".c": 8, ".cc": 8, ".h": 8, ".js": 4, ".mjs": 4, ".ts": 4, ".sh": 4, ".md": 4,
}

// columns is how wide a line is, where a tab leads to the next tab stop.
func columns(line string, tab int) int {
	n := 0
	for _, r := range line {
		if r == '\t' {
			n += tab - n%tab
		} else {
			n++
		}
	}
	return n
}

var (
	// A line that cannot be broken: an instruction to the go command, or a comment that is only an address.
	unbreakable = regexp.MustCompile(`^\s*(?://go:\w+|(?://|\*)?\s*<?https?://\S+$)`)
	// The target of a link of Markdown: [text](target), [text]: target, or <https://…>.
	linkTarget = regexp.MustCompile(`\]\([^()\s]+\)|^\[[^\]]+\]:\s*\S+|<?https?://[^\s>)]+>?`)
)

// rawLines are the lines within the texts in backquotes of a test, which are data: programs, logs, real output.
func rawLines(source string) map[int]bool {
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(source))
	var s scanner.Scanner
	s.Init(file, []byte(source), nil, 0)
	list := map[int]bool{}
	for {
		at, kind, text := s.Scan()
		if kind == token.EOF {
			return list
		}
		if kind == token.STRING && text[0] == '`' {
			first := file.Line(at)
			for i := 1; i < strings.Count(text, "\n"); i++ {
				list[first+i] = true
			}
		}
	}
}

// tooWide lists the lines of a source file that are wider than maxColumns.
func tooWide(name, text string) []int {
	if path.Ext(name) == ".md" {
		text = prose(text)
	}
	data := map[int]bool{}
	if strings.HasSuffix(name, "_test.go") {
		data = rawLines(text)
	}
	var list []int
	for i, line := range strings.Split(text, "\n") {
		if len(line) > maxColumns/tabWidths[path.Ext(name)] && columns(line, tabWidths[path.Ext(name)]) > maxColumns &&
			!unbreakable.MatchString(line) && !data[i+1] {
			list = append(list, i+1)
		}
	}
	return list
}

// prose is a document of Markdown with blank lines in place of tables and code blocks, which show real output as it is,
// and without the targets of its links.
func prose(text string) string {
	lines := strings.Split(text, "\n")
	fenced := false
	for i, line := range lines {
		trimmed := strings.TrimSpace(line)
		fence := strings.HasPrefix(trimmed, "```")
		switch {
		case fence:
			fenced = !fenced
			lines[i] = ""
		case fenced, strings.HasPrefix(trimmed, "|"):
			lines[i] = ""
		default:
			lines[i] = linkTarget.ReplaceAllString(line, "")
		}
	}
	return strings.Join(lines, "\n")
}

// isBuilt reports whether a compiler of JavaScript wrote a file: the bundles that tests profile.
func isBuilt(name string) bool { return strings.Contains("/"+name, "/dist/") }

func TestLineWidth(t *testing.T) {
	for _, name := range withSuffix(t, ".go", ".c", ".cc", ".h", ".js", ".mjs", ".ts", ".sh", ".md") {
		b := read(t, name)
		if isData(name, b) || isBuilt(name) {
			continue
		}
		lines := strings.Split(string(b), "\n")
		for _, n := range tooWide(name, string(b)) {
			t.Errorf("%s:%d: the line has %d columns, the limit is %d", name, n,
				columns(lines[n-1], tabWidths[path.Ext(name)]), maxColumns)
		}
	}
}

// TestTooWide: the rule can be broken, and not by what it leaves out.
func TestTooWide(t *testing.T) {
	word := strings.Repeat("x", 112)
	for _, c := range []struct {
		name, text string
		wide       bool
	}{
		{"a.go", word + "12345678", false},
		{"a.go", word + "123456789", true},
		{"a.go", strings.Repeat("é", maxColumns), false},
		{"a.go", "\t\t" + word, false},
		{"a.c", "\t" + word, false},
		{"a.c", "\t\t" + word, true},
		{"a.js", "ok\n\t\t\t" + word + "\nok", true},
		{"a.go", "//go:generate go tool " + word, false},
		{"a.go", "\t// https://example.com/" + word, false},
		{"a.go", "\t// see https://example.com/" + word, true},
		{"a_test.go", "package a\n\nvar x = `\n" + word + word + "\n`\n", false},
		{"a_test.go", "package a\n\nvar x = `" + word + "`\n", true},
		{"a.go", "package a\n\nvar x = `\n" + word + word + "\n`\n", true},
		{"a.md", "see [this](" + word + word + ") and https://example.com/" + word, false},
		{"a.md", "[this]: https://example.com/" + word, false},
		{"a.md", "see [" + word + "](this) " + word, true},
		{"a.md", "| a | " + word + word + " |", false},
		{"a.md", "```\n" + word + word + "\n```", false},
		{"a.md", "```\nx\n```\n" + word + word, true},
	} {
		if got := len(tooWide(c.name, c.text)) > 0; got != c.wide {
			t.Errorf("%s: %q: wide %v, want %v", c.name, c.text, got, c.wide)
		}
	}
}
