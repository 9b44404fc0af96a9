package cli

import (
	"errors"
	"fmt"
	"io"
)

// Exit codes.
const (
	exitDone    = 0
	exitFailed  = 1
	exitUsage   = 2
	exitTimeout = 3 // of wait: not seen in time
	exitEnded   = 4 // of wait: the processes ended before
)

// notSeen is the error of a wait that was in vain.
type notSeen struct {
	text  string
	code  int
	quiet bool
}

func (e *notSeen) Error() string { return e.text }

func exitCode(err error, stderr io.Writer) int {
	var usage usageError
	var unseen *notSeen
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &unseen) && unseen.quiet:
		return unseen.code
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "hotspan: %v\nTry 'hotspan --help'.\n", err)
		return exitUsage
	}
	fmt.Fprintf(stderr, "hotspan: %v\n", err)
	if unseen != nil {
		return unseen.code
	}
	return exitFailed
}
