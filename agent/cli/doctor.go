package cli

import "io"

type doctorCmd struct {
	PID int `short:"p" help:"Say more about this process." placeholder:"PID"`
}

func (d *doctorCmd) Run(stdout io.Writer) error { return nil }
