package flags

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// entry is one of a list in a help text: what it is about, and a text.
type entry struct{ head, text string }

// print prints the help of a verb.
func (v *verb) print(to io.Writer, program string, columns int) {
	usage := "Usage: " + program + " " + v.name
	flags := []entry{helpEntry}
	for _, f := range v.flags {
		if f.required {
			usage += " " + f.long()
		}
		flags = append(flags, entry{f.head(), f.help})
	}
	usage += " [flags]"
	var arguments []entry
	for _, f := range v.arguments {
		usage += " " + f.pattern()
		arguments = append(arguments, entry{f.pattern(), f.help})
	}
	fmt.Fprintf(to, "%s\n\n%s\n", usage, strings.Join(wrap(v.help, columns), "\n"))
	printEntries(to, "Arguments", arguments, columns)
	printEntries(to, "Flags", flags, columns)
}

var helpEntry = entry{"-h, --help", "Show this help."}

// head is a flag as the help lists it.
func (f *field) head() string {
	text := "    "
	if f.short != "" {
		text = "-" + f.short + ", "
	}
	text += "--"
	if f.negatable {
		text += "[" + negated + "]"
	}
	text += f.name
	if f.placeholder != "" {
		text += "=" + f.placeholder
	}
	if f.isList() && f.sep != "" && !strings.HasSuffix(text, more) {
		text += f.sep + more
	}
	return text
}

// more ends the placeholder of a list.
const more = "…"

// printEntries prints a list in two columns.
func printEntries(to io.Writer, title string, list []entry, columns int) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(to, "\n%s:\n", title)
	left := 0
	for _, e := range list {
		left = max(left, utf8.RuneCountInString(e.head))
	}
	for _, e := range list {
		head := "  " + e.head + strings.Repeat(" ", left-utf8.RuneCountInString(e.head)) + "  "
		for _, text := range wrap(e.text, max(columns-left-4, leastText)) {
			fmt.Fprintln(to, head+text)
			head = strings.Repeat(" ", left+4)
		}
	}
}

// leastText is the least width of the right column, in characters.
const leastText = 20

// wrap breaks a text into lines of at most so many characters, but for words that are longer.
func wrap(text string, columns int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > columns:
			lines, line = append(lines, line), word
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}
