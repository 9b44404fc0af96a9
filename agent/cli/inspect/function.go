package inspect

import (
	"fmt"
	"io"
	"strings"

	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/agent/internal/inspect"
)

// inspectedFunction is a function in JSON.
type inspectedFunction struct {
	Address string `json:"address"`
	Text    string `json:"text"` // as print shows it
	Name    string `json:"name,omitempty"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Shared  string `json:"shared,omitempty"`
	Context string `json:"context,omitempty"`
	lacking
}

func printFunctions(stdout io.Writer, subject *inspect.Subject, addresses []uint64, asJSON bool) error {
	return printEach(stdout, asJSON, addresses, func(a uint64) ([]answer, error) {
		f, err := subject.Function(a)
		if err != nil {
			return nil, err
		}
		return []answer{&inspectedFunction{fmt.Sprintf("0x%x", a), f.Text, f.Name, f.File, f.Line, f.Column,
			hexOrEmpty(f.Shared), hexOrEmpty(f.Context), lackingOf(subject)}}, nil
	})
}

func (f *inspectedFunction) print(w *sheet) {
	place := "V8's own, or of C++"
	if f.File != "" {
		place = terminal.Printable(f.File)
	}
	if f.Line > 0 {
		place += fmt.Sprintf(":%d:%d", f.Line, f.Column)
	}
	w.Printf("%s: %s  %s\n    in stacks %s, context %s, shared %s\n", f.Address, printableLines(f.Text), place,
		orAnonymous(f.Name), f.Context, f.Shared)
}

func orAnonymous(name string) string {
	if name == "" {
		return "(anonymous)"
	}
	return terminal.Printable(name)
}

// functionSource is the source of a function in JSON.
type functionSource struct {
	Address string `json:"address"`
	Source  string `json:"source"`
	lacking
}

func printSources(stdout io.Writer, subject *inspect.Subject, addresses []uint64, asJSON bool) error {
	return printEach(stdout, asJSON, addresses, func(a uint64) ([]answer, error) {
		source, err := subject.Source(a)
		if err != nil {
			return nil, err
		}
		return []answer{&functionSource{fmt.Sprintf("0x%x", a), source, lackingOf(subject)}}, nil
	})
}

func (s *functionSource) print(w *sheet) { w.Printf("%s\n", printableLines(s.Source)) }

// closureScope is a part of a closure in JSON.
type closureScope struct {
	Address   string            `json:"address"` // of the function that was asked for
	Function  string            `json:"function,omitempty"`
	Context   string            `json:"context"`
	Variables []closureVariable `json:"variables"`
	Problem   string            `json:"problem,omitempty"`
	lacking
}

type closureVariable struct {
	Name    string `json:"name"`
	Text    string `json:"text"`
	Address string `json:"address,omitempty"`
}

func printClosures(stdout io.Writer, subject *inspect.Subject, addresses []uint64, depth int, asJSON bool) error {
	return printEach(stdout, asJSON, addresses, func(a uint64) (all []answer, err error) {
		scopes, err := subject.Closure(a, depth)
		for i := range scopes {
			all = append(all, closureOf(subject, a, &scopes[i]))
		}
		return all, err
	})
}

func (s *closureScope) print(w *sheet) {
	w.Printf("context %s of %s\n", s.Context, orAnonymous(s.Function))
	for _, v := range s.Variables {
		text := strings.ReplaceAll(printableLines(v.Text), "\n", "\n    ")
		w.Printf("    %s %s: %s\n", terminal.Printable(v.Name), v.Address, text)
	}
	if s.Problem != "" {
		w.Printf("    its variables are not known: %s\n", terminal.Printable(s.Problem))
	}
}

func closureOf(subject *inspect.Subject, address uint64, s *inspect.Scope) *closureScope {
	out := &closureScope{Address: fmt.Sprintf("0x%x", address), Function: s.Function, Context: hexOrEmpty(s.Context),
		Variables: []closureVariable{}, lacking: lackingOf(subject)}
	for _, v := range s.Variables {
		out.Variables = append(out.Variables, closureVariable{v.Name, v.Text, hexOrEmpty(v.Address)})
	}
	if s.Problem != nil {
		out.Problem = s.Problem.Error()
	}
	return out
}
