package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/hotspan/hotspan/otlp"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/report"
)

type reportCmd struct {
	Files []string `arg:"" help:"Recordings, written by record -o FILE.otlp or by the agent." placeholder:"FILE.otlp"`
	By    string   `help:"Also a table by this label." placeholder:"LABEL"`
	Route string   `help:"Only samples of this route." placeholder:"ROUTE"`
	Trace string   `help:"Only samples of this trace." placeholder:"ID"`
	Lines int      `default:"12" help:"Most lines of a table (${default})." placeholder:"N"`
	JSON  bool     `name:"json" help:"Print all of it as JSON."`
}

func (v *reportCmd) Run(stdout io.Writer, c console) error {
	if v.Lines < 1 {
		return usagef("--lines %d: at least 1", v.Lines)
	}
	b := report.NewBuilder(v.keep(), v.By)
	for _, name := range v.Files {
		if err := addRecording(b, name, c); err != nil {
			return err
		}
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

// keep returns which samples are asked for; nil means all.
func (v *reportCmd) keep() func([]pprofx.Label) bool {
	if v.Route == "" && v.Trace == "" {
		return nil
	}
	has := func(labels []pprofx.Label, key, value string) bool {
		return value == "" || slices.ContainsFunc(labels, func(l pprofx.Label) bool {
			return l.Key == key && l.Str == value
		})
	}
	return func(labels []pprofx.Label) bool {
		return has(labels, "http.route", v.Route) && has(labels, "trace_id", v.Trace)
	}
}

// addRecording adds the snapshots of a file. Of one that is cut off, it adds what is whole.
func addRecording(b *report.Builder, name string, c console) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	from, read := otlp.NewReader(f), 0
	for {
		s, err := from.Next()
		switch {
		case err == nil:
			b.Add(s)
			read++
			continue
		case errors.Is(err, io.EOF) && read > 0:
			return nil
		case errors.Is(err, io.EOF):
			return fmt.Errorf("%s is empty", name)
		case errors.Is(err, io.ErrUnexpectedEOF) && read > 0:
			c.logger(false).Warn("the recording is cut off: its last snapshot is missing", "file", name)
			return nil
		}
		return fmt.Errorf("%s: %w", name, err)
	}
}
