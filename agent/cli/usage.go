package cli

import "fmt"

// usageError is an error in how hotspan was called.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// wrongUsage returns an error that says how hotspan was called wrongly.
func wrongUsage(err error) error { return usageError{err} }

// usagef is wrongUsage with a formatted text.
func usagef(format string, args ...any) error { return wrongUsage(fmt.Errorf(format, args...)) }
