package pprofx

import (
	"bufio"
	"fmt"
	"io"
)

// WriteShares prints shares for a terminal below a title, a line a share: percent of all samples, samples, name, where.
// Names come from the target, so control characters in them are printed as blanks.
func WriteShares(w io.Writer, title string, shares []Share) error {
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, title)
	for i := range shares {
		s := &shares[i]
		fmt.Fprintf(out, "  %5.1f%% %8d  %s\n", 100*s.Fraction, s.Samples, shareText(s))
	}
	return out.Flush()
}

func shareText(s *Share) string {
	switch {
	case s.Name == "":
		return "(unlabelled)"
	case s.Where == "":
		return oneLine(s.Name)
	}
	return oneLine(s.Name + "  " + s.Where)
}
