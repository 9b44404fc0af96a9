package exit

import "fmt"

// usageError is an error in how hotspan was called.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// Usage returns an error that says how hotspan was called wrongly.
func Usage(err error) error { return usageError{err} }

// Usagef is Usage with a formatted text.
func Usagef(format string, args ...any) error { return Usage(fmt.Errorf(format, args...)) }
