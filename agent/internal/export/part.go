package export

import (
	"context"
	"errors"
	"io/fs"

	"github.com/hotspan/hotspan/otlp"
	"github.com/hotspan/hotspan/pprofx"
)

// Receiver takes snapshots. An error means that it has not taken the snapshot: it gets the same one again, but for
// errors of which otlp.Refused says that this has no point, and an *otlp.PartialError.
type Receiver interface {
	Write(context.Context, *pprofx.Snapshot) error
}

// messageReceiver is a Receiver that takes snapshots as messages of package otlp, several of a large one. Split says
// which it wants instead of one: mostly that, which saves decoding and encoding it. WriteMessage has the errors of
// Write.
type messageReceiver interface {
	Messages(*pprofx.Snapshot) ([][]byte, error)
	Split([]byte) ([][]byte, error)
	WriteMessage(context.Context, []byte) error
}

// part is what a receiver takes at a time, all or nothing: a snapshot, a message of a large one, or half of one of
// these. What was taken is not sent again when a later one has to wait.
type part struct {
	samples  int64
	write    func(context.Context) error
	snapshot func() (*pprofx.Snapshot, error)
	halved   int  // times
	suspect  bool // of a whole that was the cause of its failures
}

// stored is a snapshot of the store, as what is not delivered yet.
type stored struct {
	left   []part
	done   bool
	taken  bool // by the receiver, a part of it at least
	passed int  // parts that are not in left any more
	tries  int  // that failed with the first of left
	others int  // later snapshots that the receiver took between the last of these
}

const (
	manyTries  = 10 // with the waits between, some five minutes
	manyOthers = 3
)

// isSuspect reports whether err may be because of the first part. One of a disk that is full is not, nor one by which
// the receiver says when to come again.
func (s *stored) isSuspect(err error) bool {
	var disk *fs.PathError
	return (s.tries >= manyTries || s.left[0].suspect) && otlp.RetryAfter(err) == 0 && !errors.As(err, &disk)
}

// isCause reports whether it is: a receiver that is down does not take what comes between the tries, and one that has
// too much to do does not do so each time.
func (s *stored) isCause(err error) bool { return s.others >= manyOthers && s.isSuspect(err) }

// pass goes on to the next part.
func (s *stored) pass() { s.left, s.passed, s.tries, s.others = s.left[1:], s.passed+1, 0, 0 }

// parts returns a snapshot as what a receiver takes at a time.
func parts(to Receiver, s *pprofx.Snapshot) ([]part, error) {
	if to, ok := to.(messageReceiver); ok {
		messages, err := to.Messages(s)
		if err != nil {
			return nil, err
		}
		return messageParts(to, messages)
	}
	return []part{{
		samples:  int64(len(s.Rows)),
		write:    func(ctx context.Context) error { return to.Write(ctx, s) },
		snapshot: func() (*pprofx.Snapshot, error) { return s, nil },
	}}, nil
}

func messageParts(to messageReceiver, messages [][]byte) (all []part, err error) {
	for _, m := range messages {
		counts, err := otlp.Count(m)
		if err != nil {
			return nil, err
		}
		all = append(all, part{
			samples:  counts.Samples,
			write:    func(ctx context.Context) error { return to.WriteMessage(ctx, m) },
			snapshot: func() (*pprofx.Snapshot, error) { return otlp.Decode(m) },
		})
	}
	return all, nil
}

// maxHalved bounds how often what is too large is halved: the parts of 4 MiB are 64 KiB then.
const maxHalved = 6

// halves returns the parts of both halves of what was refused. There are none where they have no point: of a half,
// unless it is too large still, of a single sample, or if the receiver takes no more from anybody.
func (p *part) halves(to Receiver, refusal error) ([]part, error) {
	most := 1
	switch {
	case otlp.TooLarge(refusal):
		most = maxHalved
	case otlp.Exhausted(refusal):
		most = 0
	}
	if p.halved >= most {
		return nil, nil
	}
	s, err := p.snapshot()
	if err != nil || len(s.Rows) < 2 {
		return nil, err
	}
	var all []part
	a, b := s.Halves()
	for _, half := range []*pprofx.Snapshot{a, b} {
		of, err := parts(to, half)
		if err != nil {
			return nil, err
		}
		all = append(all, of...)
	}
	for i := range all {
		all[i].halved, all[i].suspect = p.halved+1, p.suspect
	}
	return all, nil
}
