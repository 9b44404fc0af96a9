package client

import (
	"errors"
	"fmt"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Errors of all methods, besides those of a context and what the agent says of a request.
var (
	// ErrNoAgent says that no agent answers.
	ErrNoAgent = errors.New("no agent answers: is hotspan agent running?")
	// ErrNotAllowed says that the caller has no right to what it asks for.
	ErrNotAllowed = errors.New("not allowed")
)

// told returns an error in the agent's own words.
func told(err error) error {
	s, ok := status.FromError(err)
	switch {
	case !ok:
		return fmt.Errorf("agent: %w", err)
	case s.Code() == codes.Unavailable:
		_, why, ok := strings.Cut(s.Message(), "while dialing: ")
		if !ok {
			why = s.Message()
		}
		return fmt.Errorf("%w (%s)", ErrNoAgent, strings.TrimSuffix(why, `"`))
	case s.Code() == codes.PermissionDenied, s.Code() == codes.Unauthenticated:
		return fmt.Errorf("%w: %s", ErrNotAllowed, s.Message())
	}
	return fmt.Errorf("agent: %s", s.Message())
}
