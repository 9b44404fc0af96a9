package analysis

import (
	"fmt"
	"io"
	"strings"

	"github.com/hotspan/hotspan/agent/cli/exit"
	"github.com/hotspan/hotspan/agent/cli/output"
	"github.com/hotspan/hotspan/agent/cli/recording"
	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/pprofx"
)

// Convert is the verb that writes a recording in another format.
type Convert struct {
	In  string `arg:"" help:"Recording (.otlp, .jsonl or .pb.gz), or the folder of the agent's store."`
	Out string `arg:"" help:"File to write; the extension is the format, as for record -o."`
	recording.FilterFlags
}

// Run writes the chosen samples of a recording as one file.
func (v *Convert) Run(_ io.Writer, c terminal.Console) error {
	format, err := recording.FormatOf(v.Out)
	if err != nil {
		return exit.Usage(err)
	}
	return convert(c, &v.FilterFlags, []string{v.In}, v.Out, format, nil)
}

// convert writes the chosen samples of recordings as one file, with source lines if there is a source.
func convert(c terminal.Console, f *recording.FilterFlags, in []string, name string, format pprofx.Format,
	source *output.Sources) error {
	var out *output.File
	var rows, lost int64
	var first pprofx.Measure
	err := f.EachRecorded(c, in, func(s *pprofx.Snapshot) (err error) {
		if recording.ShowsTimes(format) {
			err = recording.RequireTimes(s, recording.Extension(format))
		}
		if err != nil {
			return err
		}
		if out == nil { // there is something to write
			if out, err = output.Create(name, format); err != nil {
				return err
			}
			source.Embed(out.Writer)
			first = s.Measure
		}
		rows += int64(len(s.Rows))
		for _, n := range s.Lost {
			lost += n
		}
		if err = out.Add(s); err != nil && s.Measure != first {
			return fmt.Errorf("%w: %s", err, recording.TakeCPUTime)
		}
		return err
	})
	switch {
	case err != nil && out != nil:
		out.Remove()
		return err
	case err != nil:
		return err
	case out == nil:
		return fmt.Errorf("%s: no snapshot is of that time%s", strings.Join(in, " "), orMeasure(f))
	}
	err = out.FinishAndSay(c, rows, lost)
	source.Say(c)
	return err
}

// orMeasure adds to a message that no snapshot is chosen; empty if all measures are.
func orMeasure(f *recording.FilterFlags) string {
	if len(f.Measure) == 0 {
		return ""
	}
	return " and measure"
}
