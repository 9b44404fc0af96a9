// Package annotate has the verb annotate: the machine code of a function, as text or as a page, with samples by
// instruction.
package annotate

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"

	"github.com/hotspan/hotspan/agent/cli/exit"
	"github.com/hotspan/hotspan/agent/cli/output"
	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/agent/internal/jitcode"
	"github.com/hotspan/hotspan/agent/internal/jitdump"
	"github.com/hotspan/hotspan/pprofx/page"
)

// Verb is the verb annotate.
type Verb struct {
	Code     int    `help:"Only the piece of code with this number." placeholder:"N"`
	PID      int    `short:"p" help:"Only code of this process." placeholder:"PID"`
	All      bool   `short:"a" help:"Print all instructions, not only those around samples."`
	Most     int    `short:"n" default:"20" help:"How many pieces of code, at most (${default})." placeholder:"N"`
	JSON     bool   `name:"json" help:"Print JSON."`
	Output   string `short:"o" help:"Write a page with the code, for the browser." placeholder:"FILE.html"`
	From     string `arg:"" help:"Directory of record --jit-code, or a jitdump file of any writer." placeholder:"DIR"`
	Function string `arg:"" optional:"" help:"${annotated}"`
}

// Run prints the instructions of a function's machine code with their samples.
func (v *Verb) Run(stdout io.Writer, c terminal.Console) error {
	if err := v.check(); err != nil {
		return err
	}
	hot, total := hottest{most: v.Most}, int64(0)
	err := jitcode.Read(v.From, func(p jitcode.Copied) {
		total += p.Samples
		if v.wants(&p) {
			if v.lists() { // which needs no code
				p.Points, p.Texts = nil, nil
				p.Code = &jitdump.Code{Index: p.Index, Lines: slices.Clone(p.Lines[:min(1, len(p.Lines))])}
			}
			hot.add(p)
		}
	})
	if errors.Is(err, jitdump.ErrPartial) {
		c.Logger(false).Warn("not all code is read", "why", err)
		err = nil
	}
	if err != nil {
		return err
	}
	pieces, left := hot.pieces()
	if len(pieces) == 0 {
		return fmt.Errorf("no machine code of %s in %s: without a function hotspan annotate lists what there is",
			cmp.Or(terminal.Printable(v.Function), "any function"), v.From)
	}
	switch {
	case v.Output != "":
		err := output.WriteWhole(v.Output, func(w io.Writer) error {
			return writeCodePage(w, pieces, total, left, v.Function, v.All)
		})
		if err == nil {
			fmt.Fprintf(c, "wrote %s: %d pieces of code\n", v.Output, len(pieces))
		}
		return err
	case v.JSON:
		return terminal.PrintJSON(stdout, annotatedPieces(pieces, v.lists()))
	case v.lists():
		return listPieces(stdout, pieces, total, left)
	}
	return printPieces(stdout, pieces, total, left, v.Function, v.All)
}

func (v *Verb) check() error {
	switch {
	case v.Most < 1:
		return exit.Usagef("-n %d: at least 1", v.Most)
	case v.Output != "" && !strings.HasSuffix(v.Output, page.Extension):
		return exit.Usagef("-o %s: a page is a FILE%s", v.Output, page.Extension)
	case v.Output != "" && v.JSON:
		return exit.Usagef("-o writes a page: --json prints")
	}
	return nil
}

// lists reports whether pieces are listed, without their instructions.
func (v *Verb) lists() bool { return v.Function == "" && v.Code == 0 && v.Output == "" }

func (v *Verb) wants(p *jitcode.Copied) bool {
	return (v.Function == "" || p.Function == v.Function || samplesIn(p, v.Function) > 0) &&
		(v.Code == 0 || p.Index == uint64(v.Code)) && (v.PID == 0 || p.PID == v.PID)
}

// hottest keeps the pieces with most samples, of any number.
type hottest struct {
	most  int
	kept  []jitcode.Copied
	found int
}

func (h *hottest) add(p jitcode.Copied) {
	h.found++
	if h.kept = append(h.kept, p); len(h.kept)/2 >= h.most {
		h.cut()
	}
}

func (h *hottest) cut() {
	sort.SliceStable(h.kept, func(i, j int) bool { return h.kept[i].Samples > h.kept[j].Samples })
	left := h.kept[min(len(h.kept), h.most):]
	clear(left) // their code is not kept
	h.kept = h.kept[:len(h.kept)-len(left)]
}

// pieces are those with most samples, the first with most, and how many there are besides.
func (h *hottest) pieces() (all []jitcode.Copied, left int) {
	h.cut()
	return h.kept, h.found - len(h.kept)
}
