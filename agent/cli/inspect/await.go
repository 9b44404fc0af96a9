package inspect

import (
	"fmt"
	"io"
	"strings"

	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/agent/internal/inspect"
	"github.com/hotspan/hotspan/v8/await"
)

// awaitedValue is who waits for a value, in JSON.
type awaitedValue struct {
	Address string        `json:"address"`
	Waits   []awaitedFrom `json:"waits"` // of a function one for each of its suspended calls
	lacking
	walk inspect.Walk
}

// awaitedFrom is who waits, the nearest first.
type awaitedFrom struct {
	Waiters []awaiter     `json:"waiters"`
	End     string        `json:"end"` // why there are no more
	Promise string        `json:"promise,omitempty"`
	Forks   []awaitedFrom `json:"forks,omitempty"` // where several wait for the promise
	More    int           `json:"more,omitempty"`  // of these
}

// awaiter has the names of frames in JSON.
type awaiter struct {
	Kind     string `json:"kind"`
	Function string `json:"f,omitempty"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"col,omitempty"`
	Address  string `json:"address,omitempty"`
}

func printAwaits(stdout io.Writer, c terminal.Console, s *inspect.Subject, addresses []uint64, asJSON bool) error {
	return printEach(stdout, asJSON, addresses, func(a uint64) ([]answer, error) {
		found, err := s.Await(a, ofHeap(c))
		c.Clear()
		if err != nil {
			return nil, err
		}
		out := &awaitedValue{Address: hexOrEmpty(a), lacking: lackingOf(s), walk: found.Walk}
		for i := range found.Of {
			out.Waits = append(out.Waits, awaitedFromOf(&found.Of[i]))
		}
		return []answer{out}, nil
	})
}

func (a *awaitedValue) print(w *sheet) {
	for i := range a.Waits {
		w.Printf("%s\n", a.Address)
		w.awaited(&a.Waits[i], 1)
	}
	w.heapRead(&a.walk)
}

var endNames = map[await.End]string{
	await.Nobody: "nobody", await.Settled: "settled", await.Several: "several", await.Foreign: "foreign",
	await.Started: "started", await.Circular: "circular", await.Cut: "cut",
}

func awaitedFromOf(a *inspect.Awaited) awaitedFrom {
	out := awaitedFrom{Waiters: []awaiter{}, End: endNames[a.End], Promise: hexOrEmpty(a.Promise), More: a.More}
	for _, w := range a.Waiters {
		out.Waiters = append(out.Waiters, awaiter{w.Kind.String(), w.Name, w.File, w.Line, w.Column,
			hexOrEmpty(w.Address)})
	}
	for i := range a.Forks {
		out.Forks = append(out.Forks, awaitedFromOf(&a.Forks[i]))
	}
	return out
}

// awaited prints who waits, and what is behind them.
func (w *sheet) awaited(a *awaitedFrom, depth int) {
	indent := strings.Repeat("    ", depth)
	for i := range a.Waiters {
		w.Printf("%s%s\n", indent, a.Waiters[i].line())
	}
	w.Printf("%s%s\n", indent, a.ending())
	for i := range a.Forks {
		w.awaited(&a.Forks[i], depth+1)
	}
	if a.More > 0 && len(a.Forks) > 0 {
		w.Printf("%s    … and %d more\n", indent, a.More)
	}
}

// line is one who waits as text.
func (a *awaiter) line() string {
	before := "async "
	if a.Kind == await.Callback.String() {
		before = "callback "
	}
	text := before + orAnonymous(a.Function)
	if a.File != "" {
		text += "  " + terminal.Printable(a.File)
	}
	if a.Line > 0 {
		text += fmt.Sprintf(":%d:%d", a.Line, a.Column)
	}
	if a.Address != "" {
		text += "  " + a.Address
	}
	return text
}

// ending says in words why a chain ends.
func (a *awaitedFrom) ending() string {
	of := "the result"
	if a.Promise != "" {
		of = "promise " + a.Promise
	}
	switch a.End {
	case "nobody":
		return "nobody waits for " + of
	case "settled":
		return of + " is settled"
	case "several":
		return fmt.Sprintf("%d wait for %s", len(a.Forks)+a.More, of)
	case "started":
		return "nobody waits for its next value"
	case "circular":
		return of + " waits for itself"
	case "cut":
		return "more wait for " + of
	}
	return of + " is handed to what is no promise"
}
