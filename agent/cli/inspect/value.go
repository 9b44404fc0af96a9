package inspect

import (
	"fmt"
	"io"
	"strings"

	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/agent/internal/inspect"
)

// printedValue is a value in JSON.
type printedValue struct {
	Address string `json:"address"`
	Text    string `json:"text"` // as util.inspect would write it
	lacking
}

type printFlags struct {
	Depth   int  `default:"2" help:"How deep print shows objects in objects (${default})." placeholder:"N"`
	Private bool `help:"Show private fields of classes as well, as #name."`
}

func (v *printFlags) print(stdout io.Writer, subject *inspect.Subject, addresses []uint64, asJSON bool) error {
	return printEach(stdout, asJSON, addresses, func(a uint64) ([]answer, error) {
		text, err := subject.Print(a, v.Depth, v.Private)
		if err != nil {
			return nil, err
		}
		return []answer{&printedValue{fmt.Sprintf("0x%x", a), text, lackingOf(subject)}}, nil
	})
}

func (p *printedValue) print(w *sheet) { w.Printf("%s\n", printableLines(p.Text)) }

// printableLines is printable for a text of several lines.
func printableLines(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = terminal.Printable(lines[i])
	}
	return strings.Join(lines, "\n")
}

// whatIs is what an address is, in JSON.
type whatIs struct {
	Address     string `json:"address"`
	Class       string `json:"class,omitempty"`
	Constructor string `json:"constructor,omitempty"`
	HiddenClass string `json:"hiddenClass,omitempty"`
	Builtin     string `json:"builtin,omitempty"`
	File        string `json:"file,omitempty"`
	Start       string `json:"start,omitempty"` // of the mapping
	End         string `json:"end,omitempty"`
	lacking
}

func printWhatIs(stdout io.Writer, subject *inspect.Subject, addresses []uint64, asJSON bool) error {
	return printEach(stdout, asJSON, addresses, func(a uint64) ([]answer, error) {
		what := subject.WhatIs(a)
		return []answer{&whatIs{fmt.Sprintf("0x%x", a), what.Class, what.Constructor, hexOrEmpty(what.HiddenClass),
			what.Builtin, what.File, hexOrEmpty(what.Start), hexOrEmpty(what.End), lackingOf(subject)}}, nil
	})
}

func hexOrEmpty(n uint64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("0x%x", n)
}

func (out *whatIs) print(w *sheet) {
	if out.Class != "" {
		w.Printf("%s: %s", out.Address, terminal.Printable(out.Class))
		if out.Constructor != "" {
			w.Printf(" made by %s", terminal.Printable(out.Constructor))
		}
		w.Printf(", hidden class %s\n", out.HiddenClass)
	}
	switch {
	case out.Builtin != "":
		w.Printf("%s: code of V8's builtin %s\n", out.Address, terminal.Printable(out.Builtin))
	case out.Class == "":
		w.Printf("%s: no object of V8 begins there\n", out.Address)
	}
	switch {
	case out.End == "":
		w.Printf("nothing is mapped there\n")
	case out.File != "":
		w.Printf("in the mapping %s to %s of %s\n", out.Start, out.End, terminal.Printable(out.File))
	default:
		w.Printf("in the memory %s to %s\n", out.Start, out.End)
	}
}
