package inspect

import (
	"io"
	"strings"

	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/agent/internal/inspect"
)

// objectPath is how an object is held, in JSON.
type objectPath struct {
	Address string         `json:"address"`
	Root    string         `json:"root,omitempty"` // context or memory; empty: none is known
	Word    string         `json:"word,omitempty"` // address of the word that refers to the first step, in memory
	Memory  string         `json:"memory,omitempty"`
	Steps   []objectHolder `json:"steps"` // from the root to the object
	heapRead
	walk inspect.Walk
}

func printPaths(stdout io.Writer, c terminal.Console, s *inspect.Subject, addresses []uint64, asJSON bool) error {
	return printEach(stdout, asJSON, addresses, func(a uint64) ([]answer, error) {
		path, err := s.Path(a, ofHeap(c))
		c.Clear()
		if err != nil {
			return nil, err
		}
		out := &objectPath{Address: hexOrEmpty(a), Root: string(path.Root.Kind), Word: hexOrEmpty(path.Root.Address),
			Memory: path.Root.Memory, heapRead: readOf(s, &path.Walk), walk: path.Walk}
		for i := range path.Steps {
			out.Steps = append(out.Steps, holderOf(&path.Steps[i]))
		}
		return []answer{out}, nil
	})
}

func (p *objectPath) print(w *sheet) {
	switch {
	case p.Root == "":
		w.Printf("nothing is known that holds this:\n")
	case p.Word != "" && p.Memory != "":
		w.Printf("a word in native memory, at %s in %s\n", p.Word, terminal.Printable(p.Memory))
	case p.Word != "":
		w.Printf("a word in native memory, at %s\n", p.Word)
	}
	for _, step := range p.Steps {
		w.Printf("    %s\n",
			strings.TrimSpace(terminal.Printable(step.Kind)+" "+step.Address+"  "+terminal.Printable(step.Where)))
	}
	w.heapRead(&p.walk)
}
