package analysis

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/hotspan/hotspan/agent/cli/exit"
	"github.com/hotspan/hotspan/agent/cli/recording"
	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/page"
	"github.com/hotspan/hotspan/pprofx/report"
)

// Diff is the verb that compares two recordings.
type Diff struct {
	Old string `arg:"" help:"Recording (.otlp or .jsonl), or the folder of the agent's store."`
	New string `arg:"" help:"The one to compare with it."`
	By  string `help:"Also a table by this label." placeholder:"LABEL"`
	recording.FilterFlags
	Ago      time.Duration     `help:"${ago}" placeholder:"TIME"`
	Moved    map[string]string `help:"${moved}" placeholder:"OLDDIR=NEWDIR"`
	Per      string            `enum:"second,cpu" default:"second" help:"${per} (${default})."`
	Requests []float64         `help:"${requests}" placeholder:"OLD,NEW"`
	FailOn   string            `help:"${failon}" placeholder:"PERCENT"`
	Lines    int               `default:"12" help:"Most lines of a table (${default})." placeholder:"N"`
	JSON     bool              `name:"json" help:"Print all of it as JSON."`
	Output   string            `short:"o" help:"${diffpage}" placeholder:"FILE.html"`
}

// Run prints what uses more or less CPU time, or writes it as a page.
func (v *Diff) Run(stdout io.Writer, c terminal.Console) error {
	limit, err := v.check()
	if err != nil {
		return err
	}
	shown, err := createPage(v.Output, v.By)
	if err != nil {
		return err
	}
	defer shown.discard()
	before, err := v.side(c, v.earlier(), "old", v.Old, v.Moved, shown.begin("old", v.Old))
	if err != nil {
		return err
	}
	after, err := v.side(c, v.FilterFlags, "new", v.New, nil, shown.begin("new", v.New))
	if err != nil {
		return err
	}
	unit, oldRequests, newRequests := report.Unit(v.Per), 0.0, 0.0
	if len(v.Requests) > 0 {
		unit, oldRequests, newRequests = report.PerRequest, v.Requests[0], v.Requests[1]
	}
	compared := report.Compare(before, after, unit, oldRequests, newRequests)
	switch {
	case shown != nil:
		err = shown.finish(c)
	case v.JSON:
		err = terminal.PrintJSON(stdout, compared)
	default:
		err = printDiff(stdout, compared, v.Old, v.New, v.By, v.Lines)
	}
	if err != nil || v.FailOn == "" {
		return err
	}
	return v.dearer(compared, limit)
}

// check checks the flags and returns the limit of --fail-on, as a part of 1.
func (v *Diff) check() (limit float64, err error) {
	switch {
	case v.Lines < 1:
		return 0, exit.Usagef("--lines %d: at least 1", v.Lines)
	case len(v.Requests) != 0 && (len(v.Requests) != 2 || !(v.Requests[0] > 0 && v.Requests[1] > 0)):
		return 0, exit.Usagef("--requests: two numbers, such as 12000,11500: the requests of OLD and of NEW")
	case len(v.Requests) != 0 && v.Per != string(report.PerSecond):
		return 0, exit.Usagef("diff: either --per or --requests")
	case v.Output != "" && !strings.HasSuffix(v.Output, page.Extension):
		return 0, exit.Usagef("-o %s: only %s", v.Output, page.Extension)
	case v.Output != "" && (v.JSON || len(v.Requests) > 0):
		return 0, exit.Usagef("-o %s: the page compares shares of CPU time: without --json and --requests", v.Output)
	case v.Ago < 0:
		return 0, exit.Usagef("--ago %v: less than 0", v.Ago)
	case v.FailOn == "":
		return 0, nil
	}
	limit, err = strconv.ParseFloat(strings.TrimSuffix(v.FailOn, "%"), 64)
	if err != nil || !(limit >= 0 && limit < 1e6) {
		return 0, exit.Usagef("--fail-on %s: want a percentage, such as 10%%", v.FailOn)
	}
	return limit / 100, nil
}

// earlier returns what chooses the samples of OLD.
func (v *Diff) earlier() recording.FilterFlags {
	chosen := v.FilterFlags
	if chosen.Until += v.Ago; chosen.Since > 0 {
		chosen.Since += v.Ago
	}
	return chosen
}

// side reads one side of a comparison, and passes it on.
func (v *Diff) side(c terminal.Console, chosen recording.FilterFlags, which, path string, moved map[string]string,
	to func(*pprofx.Snapshot) error) (*report.Side, error) {
	side := report.NewSide(v.By, moved)
	err := chosen.EachSnapshot(c, []string{path}, func(s *pprofx.Snapshot) error {
		if err := recording.RequireTimes(s, "telling a difference from chance"); err != nil {
			return err
		}
		side.Add(s)
		return to(report.MoveFiles(s, moved))
	})
	if err == nil && side.Total().Seconds == 0 {
		err = fmt.Errorf("%s, %s: no snapshot is of that time%s", which, path, orMeasure(&chosen))
	}
	return side, err
}

// dearer returns an error that names what has become dearer by more than a part of 1.
func (v *Diff) dearer(c *report.Comparison, limit float64) error {
	var found []string
	add := func(what string, table []report.Change) {
		for _, row := range report.Dearer(table, limit) {
			name := strings.TrimSpace(what + " " + rowName(row, "(no "+what+")"))
			if row.File != "" {
				name += " (" + terminal.Printable(terminal.ShortFile(row.File)) + ")"
			}
			found = append(found, fmt.Sprintf("%s by %.0f %%, at least %.0f %%", name, 100*(*row.Ratio-1),
				100*(row.AtLeast-1)))
		}
	}
	if c.Whole != nil {
		whole := *c.Whole
		whole.Name = "of it"
		add("all", []report.Change{whole})
	}
	add("route", c.Routes)
	if v.By != "" {
		add(v.By, c.By)
	}
	add("function", c.Functions)
	if len(found) == 0 {
		return nil
	}
	return errors.New("dearer by more than " + strconv.FormatFloat(100*limit, 'g', -1, 64) + " %: " +
		strings.Join(found, "; "))
}
