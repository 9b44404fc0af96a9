package cli

import (
	"fmt"

	"github.com/hotspan/hotspan/pprofx"
)

type convertCmd struct {
	In  string `arg:"" help:"Recording, written by record -o FILE.otlp, or the folder of the agent's store."`
	Out string `arg:"" help:"File to write; the extension is the format, as for record -o."`
	filterFlags
}

// Run writes the chosen samples of a recording as one file.
func (v *convertCmd) Run(c console) error {
	format, err := formatOf(v.Out)
	if err != nil {
		return usageError{err}
	}
	var out *outputFile
	var rows, lost int64
	err = v.eachSnapshot(c, []string{v.In}, func(s *pprofx.Snapshot) (err error) {
		if out == nil { // there is something to write
			if out, err = createOutput(v.Out, format); err != nil {
				return err
			}
		}
		rows += int64(len(s.Rows))
		for _, n := range s.Lost {
			lost += n
		}
		return out.add(s)
	})
	switch {
	case err != nil && out != nil:
		out.discard()
		return err
	case err != nil:
		return err
	case out == nil:
		return fmt.Errorf("%s: no snapshot is of that time", v.In)
	}
	left := out.writer.LeftOut()
	if err := out.finish(); err != nil {
		return err
	}
	fmt.Fprintf(c, "wrote %s: %d samples%s; %d were lost when it was recorded\n", v.Out,
		rows-left.Samples-left.OtherThreads, otherThreads(left), lost)
	if left.Samples > 0 {
		fmt.Fprintf(c, "%d more are left out, because the file is full\n", left.Samples)
	}
	if left := leftOut(left); left != "" {
		fmt.Fprintf(c, "left out of the file, over its limits: %s\n", left)
	}
	return nil
}
