package cli

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/hotspan/hotspan/agent/internal/jitcode"
)

// aroundSamples is how many instructions before and after one with samples are printed.
const aroundSamples = 6

// printPieces prints the code of a function, and where it is inlined; of the empty one all code.
func printPieces(to io.Writer, pieces []jitcode.Copied, total int64, left int, function string, whole bool) error {
	w := &sheet{Writer: to}
	for i := range pieces {
		p := &pieces[i]
		inlined := function
		if p.Function == function {
			inlined = ""
		}
		w.printf("%s  %s\n%d samples, %s of the %d in machine code%s\n", printable(p.Name), pieceText(p), p.Samples,
			percent(p.Samples, total), total, lostPoints(p.Lost))
		if inlined != "" {
			w.printf("%d of them in %s, which is inlined\n", samplesIn(p, inlined), printable(inlined))
		}
		w.printf("\n")
		printCode(w, p, instructions(p), inlined, whole)
		w.printf("\n")
	}
	printRest(w, left)
	return w.err
}

func lostPoints(n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", and %d at instructions beyond those that are kept", n)
}

// printCode prints instructions, and above those of another place in the source that place. > marks the one with most
// samples. Without whole it prints those around samples, if inlined is not empty around samples in that function.
func printCode(w *sheet, p *jitcode.Copied, all []annotatedInstruction, inlined string, whole bool) {
	most, near := int64(0), map[int]bool{}
	for i, in := range all {
		most = max(most, in.Samples)
		if in.Samples > 0 && (inlined == "" || hasFunction(in.Frames, inlined)) {
			for n := i - aroundSamples; n <= i+aroundSamples; n++ {
				near[n] = true
			}
		}
	}
	texts := map[string]string{}
	for _, t := range p.Texts {
		texts[fmt.Sprintf("%s:%d", t.File, t.Line)] = strings.TrimSpace(t.Text)
	}
	places, place, line, skipped := sourcePlaces(all), "", "", false
	for i, in := range all {
		if !near[i] && !whole && p.Samples > 0 {
			skipped = true
			continue
		}
		if skipped {
			w.printf("%17s  …\n", "")
			place, line, skipped = "", "", false
		}
		if now := places[i]; now != place {
			place = now
			if at := fmt.Sprintf("%s:%d", in.File, in.Line); at != line {
				now, line = strings.TrimSpace(now+"  "+texts[at]), at
			}
			w.printf("%17s  %s\n", "", printable(now))
		}
		count, share, mark := "", "", ""
		if in.Samples > 0 {
			count, share = fmt.Sprint(in.Samples), percent(in.Samples, p.Samples)
		}
		if in.Samples == most && most > 0 {
			mark = ">"
		}
		w.printf("%8s %7s %1s +0x%-5x %s\n", count, share, mark, in.Offset, in.Text)
	}
}

// sourcePlaces is where each instruction is from, as step c.js:1:27 in hot c.js:2:48. Without samples nobody has asked
// V8 what is inlined there, but it is what it is for those around it at the same place.
func sourcePlaces(all []annotatedInstruction) []string {
	out := make([]string, 0, len(all))
	for from := 0; from < len(all); {
		to, frames := from, []jitcode.Frame(nil)
		for ; to < len(all) && samePlace(&all[to], &all[from]); to++ {
			if frames == nil {
				frames = all[to].Frames
			}
		}
		for i := from; i < to; i++ {
			if all[i].Frames != nil {
				frames = all[i].Frames
			}
			out = append(out, all[i].place(frames))
		}
		from = to
	}
	return out
}

func (in *annotatedInstruction) place(frames []jitcode.Frame) string {
	var parts []string
	for _, f := range frames {
		parts = append(parts, fmt.Sprintf("%s %s", f.Function, filePlace(f.File, f.Line, f.Column)))
	}
	if parts == nil {
		return filePlace(in.File, in.Line, in.Column)
	}
	return strings.Join(parts, " in ")
}

func samePlace(a, b *annotatedInstruction) bool {
	return a.File == b.File && a.Line == b.Line && a.Column == b.Column
}

func filePlace(file string, line, column int) string {
	if line == 0 {
		return "(no line)"
	}
	return fmt.Sprintf("%s:%d:%d", shortFile(file), line, column)
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
