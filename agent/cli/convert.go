package cli

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/hotspan/hotspan/otlp"
)

type convertCmd struct {
	In  string `arg:"" help:"Recording to read, written by record -o FILE.otlp." placeholder:"IN.otlp"`
	Out string `arg:"" help:"File to write; the extension is the format, as for record -o."`
}

// Run writes all snapshots of a recording as one file. Of a recording that is cut off, it writes what is whole.
func (v *convertCmd) Run(c console) error {
	format, err := formatOf(v.Out)
	if err != nil {
		return usageError{err}
	}
	in, err := os.Open(v.In)
	if err != nil {
		return err
	}
	defer in.Close()
	from := otlp.NewReader(in)
	first, err := from.Next()
	if err != nil {
		return fmt.Errorf("%s: %w", v.In, err)
	}
	out, err := createOutput(v.Out, format)
	if err != nil {
		return err
	}
	var rows, lost int64
	for s := first; err == nil; s, err = from.Next() {
		if err := out.add(s); err != nil {
			return err
		}
		rows += int64(len(s.Rows))
		for _, n := range s.Lost {
			lost += n
		}
	}
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		c.logger(false).Warn("the recording is cut off: its last snapshot is missing", "file", v.In)
	case !errors.Is(err, io.EOF):
		return errors.Join(fmt.Errorf("%s: %w", v.In, err), out.discard())
	}
	left := out.writer.LeftOut()
	if err := out.finish(); err != nil {
		return err
	}
	fmt.Fprintf(c, "wrote %s: %d samples; %d were lost when it was recorded\n", v.Out, rows, lost)
	if left := leftOut(left); left != "" {
		fmt.Fprintf(c, "left out of the file, over its limits: %s\n", left)
	}
	return nil
}
