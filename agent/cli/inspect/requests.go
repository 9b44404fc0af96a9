package inspect

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/hotspan/hotspan/agent/cli/exit"
	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/agent/internal/inspect"
	reqctx "github.com/hotspan/hotspan/context"
)

// inFlight is what a process waits for, in JSON.
type inFlight struct {
	Requests []inFlightRequest `json:"requests"`
	Others   []waitedFor       `json:"others"` // of no request
	// Of requests whose stores could not be read.
	NotRead []waitedFor `json:"storesNotRead,omitempty"`
	Hidden  int         `json:"moreRequests,omitempty"`
	More    int         `json:"more,omitempty"`         // waits
	Changed int         `json:"beganOrEnded,omitempty"` // while the heap was read
	heapRead
}

// inFlightRequest is what has the same stores of AsyncLocalStorages.
type inFlightRequest struct {
	Labels map[string]any `json:"labels,omitempty"`
	Stores []storeValue   `json:"stores"`
	// Only pending promises wait with the stores: no timer, handle, request or job.
	OnlyPromises bool `json:"onlyPromises,omitempty"`
	// How old it is by its span, and at least by the timer that runs longest.
	AgeMS     *float64    `json:"ageMs,omitempty"`
	AtLeastMS *float64    `json:"ageAtLeastMs,omitempty"`
	Waits     []waitedFor `json:"waits"`
}

type storeValue struct {
	Name    string `json:"name,omitempty"`
	Address string `json:"address"`
	Text    string `json:"text"`
}

type waitedFor struct {
	By       string   `json:"by"` // timer, handle, request, job, promise
	Kind     string   `json:"kind"`
	Address  string   `json:"address"`
	AsyncID  float64  `json:"asyncId,omitempty"`
	What     string   `json:"what,omitempty"`
	DelayMS  float64  `json:"delayMs,omitempty"`
	SinceMS  *float64 `json:"sinceMs,omitempty"`
	DueMS    *float64 `json:"dueInMs,omitempty"`
	Function string   `json:"function,omitempty"`
	File     string   `json:"file,omitempty"`
	Line     int      `json:"line,omitempty"`
	Column   int      `json:"column,omitempty"`
}

func (v *objectsFlags) printRequests(stdout io.Writer, c terminal.Console, s *inspect.Subject, rules []reqctx.Rule,
	asJSON bool,
) error {
	if v.Most < 0 {
		return exit.Usage(fmt.Errorf("-n %d: how many requests?", v.Most))
	}
	found := s.Requests(rules, ofHeap(c))
	c.Clear()
	hidden := v.hide(&found)
	if asJSON {
		return terminal.PrintJSON(stdout, inFlightOf(s, &found, hidden))
	}
	w := &sheet{terminal.Sheet{Writer: stdout}}
	for i := range found.Requests {
		w.request(&found.Requests[i])
	}
	if len(found.Requests) == 0 {
		w.Printf("nothing is waited for\n")
	}
	if hidden > 0 {
		w.Printf("… and %d more requests\n", hidden)
	}
	if found.More > 0 {
		w.Printf("%d more waits are not shown\n", found.More)
	}
	if found.Changed > 0 {
		w.Printf("%d waits began or ended meanwhile, and are not shown: --stop TIME shows all\n", found.Changed)
	}
	w.heapRead(&found.Walk)
	return w.Err
}

// hide leaves as many requests as are to be listed, and what is of none. It returns how many it took away.
func (v *objectsFlags) hide(found *inspect.Requests) (hidden int) {
	listed := 0
	found.Requests = slices.DeleteFunc(found.Requests, func(q inspect.Request) bool {
		if v.Most == 0 || len(q.Stores) == 0 {
			return false
		}
		if listed++; listed > v.Most {
			hidden++
		}
		return listed > v.Most
	})
	return hidden
}

func (w *sheet) request(q *inspect.Request) {
	switch {
	case q.NotRead != nil:
		w.Printf("of requests whose stores could not be read: %s\n", terminal.Printable(q.NotRead.Error()))
	case len(q.Stores) == 0:
		w.Printf("of no request\n")
	case len(q.Labels) > 0:
		w.Printf("%s%s\n", strings.TrimPrefix(terminal.LabelText(q.Labels), ", "), beganText(q))
	default:
		for i := range q.Stores {
			began := ""
			if i == len(q.Stores)-1 {
				began = beganText(q)
			}
			w.Printf("%s%s\n", storeLine(&q.Stores[i]), began)
		}
	}
	if len(q.Stores) > 0 && q.Pending() {
		w.Printf("    only promises: no timer, handle, request or job has these stores\n")
	}
	for i := range q.Waits {
		wait := waitOf(&q.Waits[i])
		w.Printf("    %s\n", terminal.Printable(wait.text()))
	}
}

// storeLine is a store on one line.
func storeLine(s *inspect.RequestStore) string {
	text := terminal.Printable(strings.Join(strings.Fields(s.Text), " "))
	if s.Name != "" {
		text = terminal.Printable(s.Name) + ": " + text
	}
	return text
}

// text is what is waited for, who goes on then, and where.
func (w *waitedFor) text() string {
	text := fmt.Sprintf("%s %s", w.Kind, w.Address)
	if w.What != "" {
		text += ", " + w.What
	}
	if w.Kind == "Timeout" {
		text += fmt.Sprintf(", %.0f ms", w.DelayMS)
	}
	if w.SinceMS != nil {
		text += timerText(*w.SinceMS, *w.DueMS)
	}
	if w.Function != "" || w.File != "" {
		text += "  " + orAnonymous(w.Function)
	}
	if w.File != "" {
		text += fmt.Sprintf("  %s:%d:%d", w.File, w.Line, w.Column)
	}
	return text
}

func inFlightOf(s *inspect.Subject, found *inspect.Requests, hidden int) inFlight {
	out := inFlight{Requests: []inFlightRequest{}, Others: []waitedFor{}, Hidden: hidden, More: found.More,
		Changed: found.Changed, heapRead: readOf(s, &found.Walk)}
	for i := range found.Requests {
		q := &found.Requests[i]
		var waits []waitedFor
		for j := range q.Waits {
			waits = append(waits, waitOf(&q.Waits[j]))
		}
		switch {
		case q.NotRead != nil:
			out.NotRead = waits
			continue
		case len(q.Stores) == 0:
			out.Others = waits
			continue
		}
		of := inFlightRequest{Labels: terminal.LabelValues(q.Labels), Waits: waits, OnlyPromises: q.Pending()}
		if q.Aged {
			of.AgeMS = milliseconds(q.Age)
		}
		if d := q.AtLeast(); d > 0 {
			of.AtLeastMS = milliseconds(d)
		}
		for _, s := range q.Stores {
			of.Stores = append(of.Stores, storeValue{s.Name, hexOrEmpty(s.Address), s.Text})
		}
		out.Requests = append(out.Requests, of)
	}
	return out
}

func waitOf(w *inspect.Wait) waitedFor {
	out := waitedFor{By: w.Sort.String(), Kind: w.Kind, Address: hexOrEmpty(uint64(w.Object)), AsyncID: w.ID,
		What: w.What, DelayMS: w.Delay, Function: w.Name, File: w.File, Line: w.Line, Column: w.Column}
	if w.Timed {
		out.SinceMS, out.DueMS = &w.Since, &w.Due
	}
	return out
}
