package export

import (
	"context"

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
	half     bool
}

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

// halves returns the parts of both halves; none of a half, or of a single sample.
func (p *part) halves(to Receiver) ([]part, error) {
	if p.half {
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
		all[i].half = true
	}
	return all, nil
}
