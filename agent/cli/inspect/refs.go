package inspect

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/hotspan/hotspan/agent/cli/exit"
	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/agent/internal/inspect"
)

// objectHolder is an object and who holds it, in JSON.
type objectHolder struct {
	Kind    string         `json:"kind"`
	Address string         `json:"address"`
	Where   string         `json:"where,omitempty"` // in it the object is that it holds
	Weak    bool           `json:"weak,omitempty"`
	Holders []objectHolder `json:"holders,omitempty"`
	More    int            `json:"more,omitempty"` // holders
}

// objectRefs is who holds an object, in JSON.
type objectRefs struct {
	objectHolder
	heapRead
	walk inspect.Walk
}

func (v *objectsFlags) printRefs(w io.Writer, c terminal.Console, s *inspect.Subject, addresses []uint64,
	asJSON bool) error {
	if v.Most < 0 {
		return exit.Usage(fmt.Errorf("-n %d: how many holders?", v.Most))
	}
	return printEach(w, asJSON, addresses, func(a uint64) ([]answer, error) {
		refs, err := s.Refs(a, cmp.Or(v.Most, 100), ofHeap(c))
		c.Clear()
		if err != nil {
			return nil, err
		}
		return []answer{&objectRefs{holderOf(&refs.Holder), readOf(s, &refs.Walk), refs.Walk}}, nil
	})
}

func (r *objectRefs) print(w *sheet) {
	w.Printf("%s %s\n", terminal.Printable(r.Kind), r.Address)
	w.holders(&r.objectHolder, 1)
	w.heapRead(&r.walk)
}

func holderOf(h *inspect.Holder) objectHolder {
	out := objectHolder{Kind: h.Kind, Address: hexOrEmpty(h.Address), Where: h.Where, Weak: h.Weak, More: h.More}
	for i := range h.Holders {
		out.Holders = append(out.Holders, holderOf(&h.Holders[i]))
	}
	return out
}

// holders prints who holds an object, and below each who holds that, where it is V8's own.
func (w *sheet) holders(of *objectHolder, depth int) {
	indent := strings.Repeat("    ", depth)
	for i := range of.Holders {
		h := &of.Holders[i]
		weak := ""
		if h.Weak {
			weak = ", weakly"
		}
		w.Printf("%s%s %s  %s%s\n", indent, terminal.Printable(h.Kind), h.Address, terminal.Printable(h.Where), weak)
		w.holders(h, depth+1)
	}
	if of.More > 0 {
		w.Printf("%s… and %d more\n", indent, of.More)
	}
}
