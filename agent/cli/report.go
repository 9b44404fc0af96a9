package cli

import (
	"fmt"
	"io"
	"time"

	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/report"
)

type reportCmd struct {
	Files []string `arg:"" help:"Recordings (.otlp, .jsonl or .pb.gz), or the folder of the agent's store."`
	reportFlags
}

// reportFlags say what is reported, and how.
type reportFlags struct {
	By string `help:"Also a table by this label." placeholder:"LABEL"`
	filterFlags
	CompareAge time.Duration `help:"${ages}" placeholder:"TIME"`
	Lines      int           `default:"12" help:"Most lines of a table (${default})." placeholder:"N"`
	JSON       bool          `name:"json" help:"Print all of it as JSON."`
	Output     string        `short:"o" help:"Write a file, as for record -o, such as cpu.html." placeholder:"FILE"`
	Source     bool          `help:"${source}"`
}

func (v *reportCmd) Run(stdout io.Writer, c console) error { return v.report(stdout, c, v.Files) }

// queryCmd reports what an agent has kept.
type queryCmd struct {
	Store string `default:"/var/lib/hotspan" help:"Directory of the agent's store (${default})." placeholder:"DIR"`
	reportFlags
}

func (v *queryCmd) Run(stdout io.Writer, c console) error {
	return v.report(stdout, c, []string{v.Store})
}

// report prints or writes what is chosen of recordings.
func (v *reportFlags) report(stdout io.Writer, c console, files []string) error {
	if v.Lines < 1 {
		return usagef("--lines %d: at least 1", v.Lines)
	}
	switch {
	case v.CompareAge < 0:
		return usagef("--compare-age %v: less than 0", v.CompareAge)
	case v.CompareAge > 0 && (v.Output != "" || v.Older > 0 || v.By != ""):
		return usagef("--compare-age goes with none of -o, --older and --by")
	case v.CompareAge > 0:
		return v.compareAges(stdout, c, files)
	case v.Output != "":
		return v.write(c, files)
	case v.Source:
		return usagef("--source is for pages: -o FILE.html")
	}
	added := newReports(v.By, false)
	err := v.eachRecorded(c, files, func(s *pprofx.Snapshot) error {
		added.add(s)
		return nil
	})
	if err != nil {
		return err
	}
	return v.print(stdout, added.all())
}

// print prints reports one after the other.
func (v *reportFlags) print(stdout io.Writer, all []*report.Report) error {
	for i, r := range all {
		if v.JSON {
			if err := printJSON(stdout, r); err != nil {
				return err
			}
			continue
		}
		if i > 0 {
			fmt.Fprintln(stdout)
		}
		printReport(stdout, r, v.By, v.Lines)
	}
	return nil
}

// compareAges prints what requests that are seen at some age use more of than the others.
func (v *reportFlags) compareAges(stdout io.Writer, c console, files []string) error {
	ages := report.NewAges(v.CompareAge.Nanoseconds())
	err := v.eachSnapshot(c, files, func(s *pprofx.Snapshot) error {
		ages.Add(s)
		return needTimes(s, "--compare-age")
	})
	switch {
	case err != nil:
		return err
	case v.JSON:
		return printJSON(stdout, ages.Compare())
	}
	return printAges(stdout, ages.Compare(), v.Lines)
}

// write writes the chosen samples of all recordings as one file.
func (v *reportFlags) write(c console, files []string) error {
	format, err := formatOf(v.Output)
	switch {
	case err != nil:
		return usageError{err}
	case v.JSON:
		return usagef("either -o or --json")
	}
	source, err := openSource(v.Source, format)
	if err != nil {
		return err
	}
	return v.convert(c, files, v.Output, format, source)
}
