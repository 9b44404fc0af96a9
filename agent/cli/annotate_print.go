package cli

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/hotspan/hotspan/agent/internal/jitcode"
)

// printPieces prints the code of a function, and where it is inlined; of the empty one all code.
func printPieces(to io.Writer, pieces []jitcode.Copied, total int64, left int, function string, whole bool) error {
	w := &sheet{Writer: to}
	for i := range pieces {
		p := &pieces[i]
		inlined := inlinedIn(p, function)
		w.printf("%s  %s\n%s\n\n", printable(p.Name), pieceText(p), samplesText(p, total, inlined))
		printCode(w, p, inlined, whole)
		w.printf("\n")
	}
	printRest(w, left)
	return w.err
}

// inlinedIn is a function if it is not what a piece was compiled of, else empty.
func inlinedIn(p *jitcode.Copied, function string) string {
	if p.Function == function {
		return ""
	}
	return function
}

// samplesText says how many samples a piece has, and on a line of its own how many of these are in an inlined function.
func samplesText(p *jitcode.Copied, total int64, inlined string) string {
	text := fmt.Sprintf("%d samples, %s of the %d in machine code%s", p.Samples, percent(p.Samples, total), total,
		lostPoints(p.Lost))
	if inlined != "" {
		text += fmt.Sprintf("\n%d of them in %s, which is inlined", samplesIn(p, inlined), printable(inlined))
	}
	return text
}

func lostPoints(n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", and %d at instructions beyond those that are kept", n)
}

// printCode prints instructions with their samples. > marks the one with most.
func printCode(w *sheet, p *jitcode.Copied, inlined string, whole bool) {
	for _, r := range codeRows(p, inlined, whole) {
		switch {
		case r.in == nil && r.place == "":
			w.printf("%17s  …\n", "")
		case r.in == nil:
			w.printf("%17s  %s\n", "", printable(strings.TrimSpace(r.place+"  "+r.text)))
		default:
			count, share := r.samples(p.Samples)
			mark := ""
			if r.most {
				mark = ">"
			}
			w.printf("%8s %7s %1s +0x%-5x %s\n", count, share, mark, r.in.Offset, r.in.Text)
		}
	}
}

func listPieces(stdout io.Writer, pieces []jitcode.Copied, total int64, left int) error {
	w := &sheet{Writer: stdout}
	w.printf("%d samples in machine code\n\n", total)
	for i := range pieces {
		p := &pieces[i]
		w.printf("%8d  %7s  %s  %s\n", p.Samples, percent(p.Samples, total), fit(printable(p.Function), 34),
			pieceText(p))
	}
	printRest(w, left)
	return w.err
}

// pieceText says what a piece of code is: where its function is, its compiler, its size and its number.
func pieceText(p *jitcode.Copied) string {
	text := ""
	switch {
	case p.Module != "":
		text = printable(shortFile(p.Module)) + "  "
	case len(p.Lines) > 0 && p.Lines[0].Line > 0:
		text = printable(fmt.Sprintf("%s:%d  ", shortFile(p.Lines[0].File), p.Lines[0].Line))
	}
	if how := cmp.Or(p.Tier, p.Kind); how != "" {
		text += printable(how) + ", "
	}
	return text + fmt.Sprintf("%d bytes, pid %d, code %d", p.Size, p.PID, p.Index)
}
