package annotate

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/agent/internal/jitcode"
)

// printPieces prints the code of a function, and where it is inlined; of the empty one all code.
func printPieces(to io.Writer, pieces []jitcode.Copied, total int64, left int, function string, whole bool) error {
	w := &terminal.Sheet{Writer: to}
	for i := range pieces {
		p := &pieces[i]
		inlined := inlinedIn(p, function)
		w.Printf("%s  %s\n%s\n\n", terminal.Printable(p.Name), pieceText(p), samplesText(p, total, inlined))
		printCode(w, p, inlined, whole)
		w.Printf("\n")
	}
	terminal.PrintRest(w, left)
	return w.Err
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
	text := fmt.Sprintf("%d samples, %s of the %d in machine code%s", p.Samples, terminal.Percent(p.Samples, total),
		total, lostPoints(p.Lost))
	if inlined != "" {
		text += fmt.Sprintf("\n%d of them in %s, which is inlined", samplesIn(p, inlined), terminal.Printable(inlined))
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
func printCode(w *terminal.Sheet, p *jitcode.Copied, inlined string, whole bool) {
	for _, r := range codeRows(p, inlined, whole) {
		switch {
		case r.in == nil && r.place == "":
			w.Printf("%17s  …\n", "")
		case r.in == nil:
			w.Printf("%17s  %s\n", "", terminal.Printable(strings.TrimSpace(r.place+"  "+r.text)))
		default:
			count, share := r.samples(p.Samples)
			mark := ""
			if r.most {
				mark = ">"
			}
			w.Printf("%8s %7s %1s +0x%-5x %s\n", count, share, mark, r.in.Offset, r.in.Text)
		}
	}
}

func listPieces(stdout io.Writer, pieces []jitcode.Copied, total int64, left int) error {
	w := &terminal.Sheet{Writer: stdout}
	w.Printf("%d samples in machine code\n\n", total)
	for i := range pieces {
		p := &pieces[i]
		w.Printf("%8d  %7s  %s  %s\n", p.Samples, terminal.Percent(p.Samples, total),
			terminal.Fit(terminal.Printable(p.Function), 34), pieceText(p))
	}
	terminal.PrintRest(w, left)
	return w.Err
}

// pieceText says what a piece of code is: where its function is, its compiler, its size and its number.
func pieceText(p *jitcode.Copied) string {
	text := ""
	switch {
	case p.Module != "":
		text = terminal.Printable(terminal.ShortFile(p.Module)) + "  "
	case len(p.Lines) > 0 && p.Lines[0].Line > 0:
		text = terminal.Printable(fmt.Sprintf("%s:%d  ", terminal.ShortFile(p.Lines[0].File), p.Lines[0].Line))
	}
	if how := cmp.Or(p.Tier, p.Kind); how != "" {
		text += terminal.Printable(how) + ", "
	}
	return text + fmt.Sprintf("%d bytes, pid %d, code %d", p.Size, p.PID, p.Index)
}
