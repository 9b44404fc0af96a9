package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/hotspan/hotspan/agent/internal/jitcode"
	"github.com/hotspan/hotspan/agent/internal/jitdump"
)

type annotateCmd struct {
	Code     int    `help:"Only the piece of code with this number." placeholder:"N"`
	PID      int    `short:"p" help:"Only code of this process." placeholder:"PID"`
	All      bool   `short:"a" help:"Print all instructions, not only those around samples."`
	Most     int    `short:"n" default:"20" help:"How many pieces of code, at most (${default})." placeholder:"N"`
	JSON     bool   `name:"json" help:"Print JSON."`
	From     string `arg:"" help:"Directory of record --jit-code, or a jitdump file of any writer." placeholder:"DIR"`
	Function string `arg:"" optional:"" help:"${annotated}"`
}

// Run prints the instructions of a function's machine code with their samples.
func (v *annotateCmd) Run(stdout io.Writer, c console) error {
	if v.Most < 1 {
		return usagef("-n %d: at least 1", v.Most)
	}
	var pieces []jitcode.Copied
	total := int64(0)
	err := jitcode.Read(v.From, func(p jitcode.Copied) {
		total += p.Samples
		if v.wants(&p) {
			if v.lists() { // of all of them only what is listed is kept
				p.Points, p.Texts = nil, nil
				p.Code = &jitdump.Code{Index: p.Index, Lines: slices.Clone(p.Lines[:min(1, len(p.Lines))])}
			}
			pieces = append(pieces, p)
		}
	})
	if errors.Is(err, jitdump.ErrPartial) {
		c.logger(false).Warn("not all code is read", "why", err)
		err = nil
	}
	if err != nil {
		return err
	}
	if len(pieces) == 0 {
		return fmt.Errorf("no machine code of %s in %s: without a function hotspan annotate lists what there is",
			cmp.Or(printable(v.Function), "any function"), v.From)
	}
	slices.SortStableFunc(pieces, func(a, b jitcode.Copied) int { return cmp.Compare(b.Samples, a.Samples) })
	left := max(0, len(pieces)-v.Most)
	pieces = pieces[:len(pieces)-left]
	switch {
	case v.JSON:
		return printJSON(stdout, annotatedPieces(pieces, v.lists()))
	case v.lists():
		return listPieces(stdout, pieces, total, left)
	}
	return printPieces(stdout, pieces, total, left, v.Function, v.All)
}

func (v *annotateCmd) lists() bool { return v.Function == "" && v.Code == 0 }

func (v *annotateCmd) wants(p *jitcode.Copied) bool {
	return (v.Function == "" || p.Function == v.Function || samplesIn(p, v.Function) > 0) &&
		(v.Code == 0 || p.Index == uint64(v.Code)) && (v.PID == 0 || p.PID == v.PID)
}
