package cli

import (
	"encoding/json"
	"io"

	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/report"
)

type reportCmd struct {
	Files []string `arg:"" help:"Recordings, written by record -o FILE.otlp, or the folder of the agent's store."`
	By    string   `help:"Also a table by this label." placeholder:"LABEL"`
	filterFlags
	Lines int  `default:"12" help:"Most lines of a table (${default})." placeholder:"N"`
	JSON  bool `name:"json" help:"Print all of it as JSON."`
}

func (v *reportCmd) Run(stdout io.Writer, c console) error {
	if v.Lines < 1 {
		return usagef("--lines %d: at least 1", v.Lines)
	}
	b := report.NewBuilder(v.By)
	err := v.eachSnapshot(c, v.Files, func(s *pprofx.Snapshot) error {
		b.Add(s)
		return nil
	})
	if err != nil {
		return err
	}
	r := b.Report()
	if v.JSON {
		out := json.NewEncoder(stdout)
		out.SetEscapeHTML(false)
		out.SetIndent("", "  ")
		return out.Encode(r)
	}
	printReport(stdout, r, v.By, v.Lines)
	return nil
}
