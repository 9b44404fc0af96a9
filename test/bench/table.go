package main

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// table is what a part of the benchmark found out. Its first column names the rows.
type table struct {
	title   string
	columns []string
	rows    [][]string
	note    string // what the figures are and how they were measured, in a sentence or two
}

// text is the table for a terminal: columns are aligned, the first one to the left.
func (t table) text() string {
	widths := make([]int, len(t.columns))
	for _, row := range append([][]string{t.columns}, t.rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	b.WriteString(t.title + "\n")
	for _, row := range append([][]string{t.columns}, t.rows...) {
		line := ""
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				line += "  " + cell + pad
			} else {
				line += "   " + pad + cell
			}
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String() + "  " + strings.ReplaceAll(wrap(t.note, 116), "\n", "\n  ") + "\n"
}

// markdown is the table for a document.
func (t table) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s\n\n", t.title)
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	line(t.columns)
	b.WriteString("|---" + strings.Repeat("|---:", len(t.columns)-1) + "|\n")
	for _, row := range t.rows {
		line(row)
	}
	return b.String() + "\n" + wrap(t.note, 118) + "\n"
}

// wrap breaks a text between words into lines of at most so many characters.
func wrap(text string, width int) string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return strings.Join(append(lines, line), "\n")
}

// number prints about three digits that count.
func number(v float64) string {
	switch {
	case v == 0:
		return "0"
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	case v >= 0.1:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.3f", v)
}

// String is the median with the range after it, which is left out where there is one value.
func (s spread) String() string {
	if s.min == s.max {
		return number(s.median)
	}
	return fmt.Sprintf("%s (%s–%s)", number(s.median), number(s.min), number(s.max))
}
