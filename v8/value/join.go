package value

import (
	"math"
	"strings"
)

// join puts the members of an object on one line where they fit, else one on a line. (Node.js,
// lib/internal/util/inspect.js, reduceToSingleString)
func (s *printing) join(out []string, base string, braces [2]string, e elements, depth int) string {
	entries := len(out)
	if e.array && entries > 6 {
		out = s.group(out, e)
	}
	if base != "" {
		braces[0] = base + " " + braces[0]
	}
	if s.depth-depth < compact && entries == len(out) {
		start := len(out) + s.indent + length(braces[0]) + 10
		if base != "" {
			start-- // the blank
		}
		line := strings.Join(out, ", ")
		if fits(out, start) && !strings.Contains(base, "\n") && !strings.Contains(line, "\n") {
			return braces[0] + " " + line + " " + braces[1]
		}
	}
	indentation := "\n" + strings.Repeat(" ", s.indent)
	return braces[0] + indentation + "  " + strings.Join(out, ","+indentation+"  ") + indentation + braces[1]
}

func fits(out []string, start int) bool {
	total := len(out) + start
	if total+len(out) > breakLength {
		return false
	}
	for _, text := range out {
		if total += length(text); total > breakLength {
			return false
		}
	}
	return true
}

// group puts short members of an array into columns. (groupArrayElements)
func (s *printing) group(out []string, e elements) []string {
	const separator = 2
	n := len(out)
	if e.length > maxElements && n > maxElements {
		n-- // the line that says how many more there are
	}
	total, longest := 0, 0
	for _, text := range out[:n] {
		total += length(text) + separator
		longest = max(longest, length(text))
	}
	most := longest + separator
	if most*3+s.indent >= breakLength || float64(total)/float64(most) <= 5 && longest > 6 {
		return out
	}
	bias := math.Sqrt(float64(most) - float64(total)/float64(len(out)))
	biased := math.Max(float64(most)-3-bias, 1)
	columns := int(math.Floor(math.Sqrt(2.5*biased*float64(n))/biased + 0.5))
	columns = min(columns, (breakLength-s.indent)/most, compact*4, 15)
	if columns <= 1 {
		return out
	}
	widths := make([]int, columns)
	for i, text := range out[:n] {
		widths[i%columns] = max(widths[i%columns], length(text)+separator)
	}
	var lines []string
	for i := 0; i < n; i += columns {
		last := min(i+columns, n) - 1
		line := ""
		for j := i; j < last; j++ {
			line += pad(out[j]+", ", widths[j-i], e.numbers)
		}
		if e.numbers {
			line += pad(out[last], widths[last-i]-separator, true)
		} else {
			line += out[last]
		}
		lines = append(lines, line)
	}
	return append(lines, out[n:]...)
}

// pad fills a text up to a width, in front of it or behind it.
func pad(text string, width int, front bool) string {
	blanks := strings.Repeat(" ", max(0, width-length(text)))
	if front {
		return blanks + text
	}
	return text + blanks
}
