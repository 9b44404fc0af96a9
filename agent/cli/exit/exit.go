// Package exit says why hotspan ends: exit codes, the errors that have one of their own, and what helps against others.
package exit

import (
	"errors"
	"fmt"
	"io"
)

// Exit codes.
const (
	Done       = 0
	Failed     = 1
	WrongUsage = 2
	Timeout    = 3 // of wait: not seen in time
	Ended      = 4 // of wait: the processes ended before
)

// NotSeen is the error of a wait that was in vain.
type NotSeen struct {
	Text  string
	Code  int  // Timeout or Ended
	Quiet bool // nothing is said of it
}

// Error implements error.
func (e *NotSeen) Error() string { return e.Text }

// Code returns the exit code that stands for an error, after it has said what the error is. usage is the
// command that shows how hotspan is used.
func Code(err error, usage string, stderr io.Writer) int {
	var wrong usageError
	var unseen *NotSeen
	switch {
	case err == nil:
		return Done
	case errors.As(err, &unseen) && unseen.Quiet:
		return unseen.Code
	case errors.As(err, &wrong):
		fmt.Fprintf(stderr, "hotspan: %v\nTry '%s'.\n", err, usage)
		return WrongUsage
	}
	fmt.Fprintf(stderr, "hotspan: %v\n", err)
	if unseen != nil {
		return unseen.Code
	}
	return Failed
}
