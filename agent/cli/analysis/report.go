// Package analysis has the verbs that read recordings: report, query, diff and trace print what is in them, convert and
// web pass it on.
package analysis

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/hotspan/hotspan/agent/cli/exit"
	"github.com/hotspan/hotspan/agent/cli/output"
	"github.com/hotspan/hotspan/agent/cli/recording"
	"github.com/hotspan/hotspan/agent/cli/tables"
	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/report"
)

// Report is the verb that says where the CPU time of recordings went.
type Report struct {
	Files []string `arg:"" help:"Recordings (.otlp, .jsonl or .pb.gz), or the folder of the agent's store."`
	reportFlags
}

// reportFlags say what is reported, and how.
type reportFlags struct {
	By string `help:"Also a table by this label." placeholder:"LABEL"`
	recording.FilterFlags
	CompareAge time.Duration `help:"${ages}" placeholder:"TIME"`
	Lines      int           `default:"12" help:"Most lines of a table (${default})." placeholder:"N"`
	JSON       bool          `name:"json" help:"Print all of it as JSON."`
	Output     string        `short:"o" help:"Write a file, as for record -o, such as cpu.html." placeholder:"FILE"`
	Source     bool          `help:"${source}"`
}

// Run prints or writes the report.
func (v *Report) Run(stdout io.Writer, c terminal.Console) error {
	return v.report(stdout, c, v.Files)
}

// Query reports what an agent has kept.
type Query struct {
	Store string `default:"/var/lib/hotspan" help:"Directory of the agent's store (${default})." placeholder:"DIR"`
	reportFlags
}

// Run prints or writes the report.
func (v *Query) Run(stdout io.Writer, c terminal.Console) error {
	if _, err := os.Stat(v.Store); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("no agent has a store in %s: if it is elsewhere, name it by --store", v.Store)
	}
	return v.report(stdout, c, []string{v.Store})
}

// report prints or writes what is chosen of recordings.
func (v *reportFlags) report(stdout io.Writer, c terminal.Console, files []string) error {
	if v.Lines < 1 {
		return exit.Usagef("--lines %d: at least 1", v.Lines)
	}
	switch {
	case v.CompareAge < 0:
		return exit.Usagef("--compare-age %v: less than 0", v.CompareAge)
	case v.CompareAge > 0 && (v.Output != "" || v.Older > 0 || v.By != ""):
		return exit.Usagef("--compare-age goes with none of -o, --older and --by")
	case v.CompareAge > 0:
		return v.compareAges(stdout, c, files)
	case v.Output != "":
		return v.write(c, files)
	case v.Source:
		return exit.Usagef("--source is for pages: -o FILE.html")
	}
	added, seen := tables.NewReports(v.By), labelNames{}
	err := v.EachRecorded(c, files, func(s *pprofx.Snapshot) error {
		added.Add(s)
		seen.add(s)
		return nil
	})
	if err != nil {
		return err
	}
	if v.By != "" && !seen[v.By] {
		c.Logger(false).Warn("no sample has the label of --by", "label", v.By, "there are", seen.list())
	}
	return v.print(stdout, added.All())
}

// labelNames are those of the samples of snapshots.
type labelNames map[string]bool

func (n labelNames) add(s *pprofx.Snapshot) {
	for _, set := range s.LabelSets {
		for _, l := range set {
			n[l.Key] = true
		}
	}
}

// list has all of them, sorted.
func (n labelNames) list() string {
	if len(n) == 0 {
		return "none"
	}
	return strings.Join(slices.Sorted(maps.Keys(n)), ", ")
}

// print prints reports one after the other.
func (v *reportFlags) print(stdout io.Writer, all []*report.Report) error {
	for i, r := range all {
		if v.JSON {
			if err := terminal.PrintJSON(stdout, r); err != nil {
				return err
			}
			continue
		}
		if i > 0 {
			fmt.Fprintln(stdout)
		}
		tables.Print(stdout, r, v.By, v.Lines)
	}
	return nil
}

// compareAges prints what requests that are seen at some age use more of than the others.
func (v *reportFlags) compareAges(stdout io.Writer, c terminal.Console, files []string) error {
	ages := report.NewAges(v.CompareAge.Nanoseconds())
	err := v.EachSnapshot(c, files, func(s *pprofx.Snapshot) error {
		ages.Add(s)
		return recording.RequireTimes(s, "--compare-age")
	})
	switch {
	case err != nil:
		return err
	case v.JSON:
		return terminal.PrintJSON(stdout, ages.Compare())
	}
	return printAges(stdout, ages.Compare(), v.Lines)
}

// write writes the chosen samples of all recordings as one file.
func (v *reportFlags) write(c terminal.Console, files []string) error {
	format, err := recording.FormatOf(v.Output)
	switch {
	case err != nil:
		return exit.Usage(err)
	case v.JSON:
		return exit.Usagef("either -o or --json")
	}
	source, err := output.OpenSources(v.Source, format)
	if err != nil {
		return err
	}
	return convert(c, &v.FilterFlags, files, v.Output, format, source)
}
