package annotate

import (
	"fmt"
	"strings"

	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/agent/internal/jitcode"
)

// aroundSamples is how many instructions before and after one with samples are shown.
const aroundSamples = 6

// codeRow is a line of annotated code: an instruction, where those that follow are from, or that some are left out.
type codeRow struct {
	in    *annotatedInstruction // nil: none
	most  bool                  // no instruction has more samples
	place string                // of the instructions that follow; empty: some are left out
	text  string                // of the line of the source, if it is not that of the place above
}

// samples are how many an instruction has, and their share; empty if it has none.
func (r *codeRow) samples(of int64) (count, share string) {
	if r.in.Samples == 0 {
		return "", ""
	}
	return fmt.Sprint(r.in.Samples), terminal.Percent(r.in.Samples, of)
}

// codeRows are the instructions of a piece, and above those of another place in the source that place. Without whole
// they are those around samples, if inlined is not empty around samples in that function.
func codeRows(p *jitcode.Copied, inlined string, whole bool) (rows []codeRow) {
	all := instructions(p)
	near, most := nearSamples(all, inlined)
	texts := map[string]string{}
	for _, t := range p.Texts {
		texts[fmt.Sprintf("%s:%d", t.File, t.Line)] = strings.TrimSpace(t.Text)
	}
	places, place, line, skipped := sourcePlaces(all), "", "", false
	for i := range all {
		in := &all[i]
		if !near[i] && !whole && p.Samples > 0 {
			skipped = true
			continue
		}
		if skipped {
			rows = append(rows, codeRow{})
			place, line, skipped = "", "", false
		}
		if now := places[i]; now != place && p.Module == "" { // of files no lines are known
			place = now
			row := codeRow{place: now}
			if at := fmt.Sprintf("%s:%d", in.File, in.Line); at != line {
				row.text, line = texts[at], at
			}
			rows = append(rows, row)
		}
		rows = append(rows, codeRow{in: in, most: in.Samples == most && most > 0})
	}
	return rows
}

// nearSamples are the indices of instructions around those with samples, and the most samples that one has.
func nearSamples(all []annotatedInstruction, inlined string) (near map[int]bool, most int64) {
	near = map[int]bool{}
	for i, in := range all {
		most = max(most, in.Samples)
		if in.Samples > 0 && (inlined == "" || hasFunction(in.Frames, inlined)) {
			for n := i - aroundSamples; n <= i+aroundSamples; n++ {
				near[n] = true
			}
		}
	}
	return near, most
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
	return fmt.Sprintf("%s:%d:%d", terminal.ShortFile(file), line, column)
}
