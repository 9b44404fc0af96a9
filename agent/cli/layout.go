package cli

import (
	"fmt"
	"io"
	"os"

	"github.com/hotspan/hotspan/v8/layout"
)

type layoutCmd struct {
	Binary string `arg:"" name:"node-binary" help:"Path of a Node.js executable."`
}

func (l *layoutCmd) Run(stdout io.Writer, _ console) error {
	f, err := os.Open(l.Binary)
	if err != nil {
		return err
	}
	defer f.Close()
	table, err := layout.Read(f)
	if err != nil {
		return fmt.Errorf("%s: %w", l.Binary, err)
	}
	return table.Write(stdout)
}
