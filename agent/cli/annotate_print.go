package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/hotspan/hotspan/agent/internal/jitcode"
)

// aroundSamples is how many instructions before and after one with samples are printed.
const aroundSamples = 6

func (v *annotateCmd) print(stdout io.Writer, pieces []jitcode.Copied, total int64, left int) error {
	w := &sheet{Writer: stdout}
	for i := range pieces {
		p := &pieces[i]
		w.printf("%s  %s\n%d samples, %s of the %d in machine code%s\n\n", printable(p.Name), pieceText(p), p.Samples,
			percent(p.Samples, total), total, lostPoints(p.Lost))
		v.printCode(w, p, instructions(p))
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
// samples.
func (v *annotateCmd) printCode(w *sheet, p *jitcode.Copied, all []annotatedInstruction) {
	most, near := int64(0), map[int]bool{}
	for i, in := range all {
		if most = max(most, in.Samples); in.Samples > 0 {
			for n := i - aroundSamples; n <= i+aroundSamples; n++ {
				near[n] = true
			}
		}
	}
	texts := map[string]string{}
	for _, t := range p.Texts {
		texts[fmt.Sprintf("%s:%d", t.File, t.Line)] = strings.TrimSpace(t.Text)
	}
	place, line, skipped := "", "", false
	for i, in := range all {
		if !near[i] && !v.All && p.Samples > 0 {
			skipped = true
			continue
		}
		if skipped {
			w.printf("%17s  …\n", "")
			place, line, skipped = "", "", false
		}
		if now := sourcePlace(all, i); now != place {
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

// sourcePlace is where an instruction is from, as step c.js:1:27 in hot c.js:2:48. Without samples nobody has asked V8
// what is inlined there, but it is what it is for those around it at the same place.
func sourcePlace(all []annotatedInstruction, i int) string {
	in := &all[i]
	frames := in.Frames
	for _, step := range []int{-1, 1} {
		for n := i; n >= 0 && n < len(all) && frames == nil && samePlace(&all[n], in); n += step {
			frames = all[n].Frames
		}
	}
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
