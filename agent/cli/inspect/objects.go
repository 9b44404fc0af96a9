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

type objectsFlags struct {
	Most   int  `short:"n" help:"Most that are listed: 100 objects or holders, 40 kinds, all requests." placeholder:"N"`
	Shapes bool `help:"Count objects by their hidden class, with its properties."`
}

// heapRead says how much of a heap was read, in bytes.
type heapRead struct {
	Objects    uint64 `json:"objectBytes"`
	Free       uint64 `json:"freeBytes"`
	NotRead    uint64 `json:"notReadBytes,omitempty"`
	Changed    uint64 `json:"changedBytes,omitempty"`
	Collecting bool   `json:"collecting,omitempty"`
	Cut        bool   `json:"cut,omitempty"`
	lacking
}

// objectKind is objects that are counted together, in JSON.
type objectKind struct {
	Name        string   `json:"name"`
	HiddenClass string   `json:"hiddenClass,omitempty"`
	Properties  []string `json:"properties,omitempty"`
	Count       uint64   `json:"count"`
	Bytes       uint64   `json:"bytes"`
}

func (v *objectsFlags) printObjects(w io.Writer, c terminal.Console, s *inspect.Subject, names []string,
	asJSON bool) error {
	if v.Most < 0 {
		return exit.Usage(fmt.Errorf("-n %d: how many lines?", v.Most))
	}
	if len(names) > 0 {
		return v.printInstances(w, c, s, names[0], asJSON)
	}
	census := s.Objects(v.Shapes, ofHeap(c))
	c.Clear()
	shown := census.Kinds[:min(len(census.Kinds), cmp.Or(v.Most, 40))]
	var kinds []objectKind
	for i := range shown {
		k := &shown[i]
		out := objectKind{Name: k.Name, Count: k.Count, Bytes: k.Bytes}
		if v.Shapes {
			s.Shape(k)
			out.HiddenClass, out.Properties = hexOrEmpty(k.HiddenClass), k.Properties
		}
		kinds = append(kinds, out)
	}
	more := len(census.Kinds) - len(shown)
	if asJSON {
		return terminal.PrintJSON(w, struct {
			Kinds []objectKind `json:"kinds"`
			More  int          `json:"more,omitempty"` // kinds
			Count uint64       `json:"count"`          // objects of all kinds
			heapRead
		}{kinds, more, countOf(&census), readOf(s, &census.Walk)})
	}
	return (&sheet{terminal.Sheet{Writer: w}}).objects(kinds, more, &census)
}

func (w *sheet) objects(kinds []objectKind, more int, census *inspect.Census) error {
	w.Printf("%12s %14s\n", "objects", "bytes")
	for _, k := range kinds {
		w.Printf("%12d %14d  %s%s\n", k.Count, k.Bytes, terminal.Printable(k.Name), shapeText(&k))
	}
	if more > 0 {
		w.Printf("  … and %d more\n", more)
	}
	w.Printf("%12d %14d  in all\n", countOf(census), census.Objects)
	w.heapRead(&census.Walk)
	return w.Err
}

func countOf(census *inspect.Census) (n uint64) {
	for i := range census.Kinds {
		n += census.Kinds[i].Count
	}
	return n
}

// shapeText is the hidden class and its properties, as { id, name }.
func shapeText(k *objectKind) string {
	if k.HiddenClass == "" {
		return ""
	}
	out := "  " + k.HiddenClass
	const most = 12
	names := k.Properties[:min(len(k.Properties), most)]
	if len(names) == 0 {
		return out
	}
	rest := ""
	if n := len(k.Properties) - len(names); n > 0 {
		rest = fmt.Sprintf(", … %d more", n)
	}
	return out + " { " + terminal.Printable(strings.Join(names, ", ")) + rest + " }"
}

// heapRead says what of the heap was not read.
func (w *sheet) heapRead(r *inspect.Walk) {
	if r.NotRead > 0 {
		w.Printf("%d bytes of the heap could not be read or told apart: what is there is not counted\n", r.NotRead)
	}
	if r.Changed > 0 {
		w.Printf("%d bytes of the heap were used for something else meanwhile: what was there is not counted\n",
			r.Changed)
	}
	if r.Collecting {
		w.Printf("the garbage collector runs: what it is about to free is counted\n")
	}
	if r.Cut {
		w.Printf("there is more heap than is looked at\n")
	}
}

func readOf(s *inspect.Subject, r *inspect.Walk) heapRead {
	return heapRead{r.Objects, r.Free, r.NotRead, r.Changed, r.Collecting, r.Cut, lackingOf(s)}
}

// objectList is the objects of one kind in JSON.
type objectList struct {
	objectKind
	Addresses []string `json:"addresses"`
	heapRead
}

func (v *objectsFlags) printInstances(w io.Writer, c terminal.Console, s *inspect.Subject, name string,
	asJSON bool) error {
	found := s.Instances(name, cmp.Or(v.Most, 100), ofHeap(c))
	c.Clear()
	if found.Count == 0 {
		return fmt.Errorf("no object is made by %s; objects without a name shows what there is",
			terminal.Printable(name))
	}
	list := objectList{objectKind{Name: name, Count: found.Count, Bytes: found.Bytes}, []string{},
		readOf(s, &found.Walk)}
	for _, a := range found.Addresses {
		list.Addresses = append(list.Addresses, hexOrEmpty(a))
	}
	if asJSON {
		return terminal.PrintJSON(w, list)
	}
	out := &sheet{terminal.Sheet{Writer: w}}
	for _, a := range list.Addresses {
		out.Printf("%s\n", a)
	}
	if more := found.Count - uint64(len(list.Addresses)); more > 0 {
		out.Printf("… and %d more\n", more)
	}
	out.heapRead(&found.Walk)
	return out.Err
}

// ofHeap shows on a terminal how much of a heap has been read.
func ofHeap(c terminal.Console) inspect.Progress {
	if !c.IsTerminal() {
		return nil
	}
	shown := uint64(0)
	return func(read, all uint64) {
		if percent := 100 * read / max(all, 1); percent > shown {
			shown = percent
			c.Progress(fmt.Sprintf("heap of %d MB: %d %%", all/1e6, percent))
		}
	}
}
