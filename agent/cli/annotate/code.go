package annotate

import (
	"fmt"
	"slices"
	"sort"

	"github.com/hotspan/hotspan/agent/internal/disasm"
	"github.com/hotspan/hotspan/agent/internal/jitcode"
	"github.com/hotspan/hotspan/agent/internal/jitdump"
)

// annotatedPiece is a piece of code in JSON.
type annotatedPiece struct {
	PID          int                    `json:"pid"`
	Code         uint64                 `json:"code"` // its index in the jitdump
	Function     string                 `json:"function"`
	Kind         string                 `json:"kind,omitempty"`
	Tier         string                 `json:"tier,omitempty"`
	Module       string                 `json:"module,omitempty"`
	BuildID      string                 `json:"build_id,omitempty"`
	Address      string                 `json:"address"`
	Size         int                    `json:"size"`
	Samples      int64                  `json:"samples"`
	Instructions []annotatedInstruction `json:"instructions,omitempty"`
}

// annotatedInstruction is an instruction, with its place in the source.
type annotatedInstruction struct {
	Offset  int             `json:"offset"`
	Size    int             `json:"size"`
	Text    string          `json:"text"`
	Samples int64           `json:"samples,omitempty"`
	File    string          `json:"file,omitempty"`
	Line    int             `json:"line,omitempty"`
	Column  int             `json:"column,omitempty"`
	Frames  []jitcode.Frame `json:"frames,omitempty"` // with samples: what is inlined there, innermost first
}

func annotatedPieces(pieces []jitcode.Copied, list bool) []annotatedPiece {
	var out []annotatedPiece
	for i := range pieces {
		p := &pieces[i]
		a := annotatedPiece{p.PID, p.Index, p.Name, p.Kind, p.Tier, p.Module, p.BuildID,
			fmt.Sprintf("0x%x", p.Piece.Address), p.Size, p.Samples, nil}
		if !list {
			a.Instructions = instructions(p)
		}
		out = append(out, a)
	}
	return out
}

// instructions are those of a piece, with samples. One whose offset is within an instruction, as it is disassembled
// here, counts there.
func instructions(p *jitcode.Copied) []annotatedInstruction {
	var out []annotatedInstruction
	points, lines := p.Points, p.Lines
	sort.SliceStable(lines, func(i, j int) bool { return lines[i].Address < lines[j].Address })
	var at jitdump.Line
	for _, in := range disassemble(p) {
		for len(lines) > 0 && lines[0].Address <= p.Code.Address+uint64(in.Offset) {
			at, lines = lines[0], lines[1:]
		}
		a := annotatedInstruction{Offset: in.Offset, Size: in.Size, Text: in.Text}
		if at.Line > 0 {
			a.File, a.Line, a.Column = at.File, at.Line, at.Column
		}
		for len(points) > 0 && points[0].Offset < in.Offset+in.Size {
			a.Samples += points[0].Samples
			a.Frames, points = points[0].Frames, points[1:]
		}
		if len(a.Frames) > 0 && a.Frames[0].Line > 0 {
			a.File, a.Line, a.Column = a.Frames[0].File, a.Frames[0].Line, a.Frames[0].Column
		}
		out = append(out, a)
	}
	return out
}

func disassemble(p *jitcode.Copied) []disasm.Instruction {
	if p.Machine != jitdump.X86_64 {
		text := fmt.Sprintf("(%d bytes for machine %d of ELF)", p.Size, p.Machine)
		return []disasm.Instruction{{Size: max(1, p.Size), Text: text}}
	}
	return disasm.X86(p.Bytes, p.Code.Address)
}

// samplesIn is how many samples of a piece are at instructions of a function that is inlined there, or its own.
func samplesIn(p *jitcode.Copied, function string) (n int64) {
	for _, at := range p.Points {
		if hasFunction(at.Frames, function) {
			n += at.Samples
		}
	}
	return n
}

func hasFunction(frames []jitcode.Frame, name string) bool {
	return slices.ContainsFunc(frames, func(f jitcode.Frame) bool { return f.Function == name })
}
