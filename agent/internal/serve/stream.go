package serve

import (
	"context"
	"errors"
	"io/fs"

	"golang.org/x/sys/unix"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/hotspan/hotspan/agent/api"
	"github.com/hotspan/hotspan/agent/internal/store"
	"github.com/hotspan/hotspan/otlp"
)

// stream is a call of Stream.
type stream struct {
	*Server
	request *api.StreamRequest
	filter  *filter
	to      grpc.ServerStreamingServer[api.StreamResponse]
	next    uint64 // sequence of the next snapshot
}

// Stream sends snapshots of the store. A caller that reads slowly misses what the store removes meanwhile, no more.
func (s *Server) Stream(r *api.StreamRequest, to grpc.ServerStreamingServer[api.StreamResponse]) error {
	f, end, err := s.beginFiltered(to.Context(), r.Filter)
	if err != nil {
		return err
	}
	defer end()
	f.samples.From, f.samples.To = int64(r.Since), int64(r.Until)
	c := &stream{Server: s, request: r, filter: f, to: to}
	all, _ := s.config.Store.From(0)
	c.next = c.first(all)
	if len(all) > 0 && !f.all {
		if own := sameClock(all); own > c.next {
			if err := c.lose(api.Lost_REASON_REMOVED, c.next, own-1); err != nil {
				return err
			}
			c.next = own
		}
	}
	for {
		entries, changed := s.config.Store.From(c.next)
		if err := c.sendAll(entries); err != nil || !r.Follow {
			return err
		}
		select {
		case <-changed:
		case <-s.ended:
			return status.Error(codes.Unavailable, errEnding.Error())
		case <-to.Context().Done():
			return to.Context().Err()
		}
	}
}

// sameClock returns the sequence of the first snapshot after the clock was last set back. What is before has times that
// say nothing: a process may have started later than such a snapshot ends, and yet at an earlier time of day, so that
// samples of an earlier process with its pid would be taken for its own.
func sameClock(entries []store.Entry) uint64 {
	for i := len(entries) - 1; i > 0; i-- {
		if entries[i].Start < entries[i-1].Start {
			return entries[i].Sequence
		}
	}
	return entries[0].Sequence
}

// first returns the sequence of the snapshot to begin with.
func (c *stream) first(entries []store.Entry) uint64 {
	first := c.request.FromSequence
	if n := int(c.request.Last); first == 0 && len(entries) > 0 {
		if n == 0 || n > len(entries) {
			n = len(entries)
		}
		first = entries[len(entries)-n].Sequence
	}
	return max(first, 1)
}

func (c *stream) sendAll(entries []store.Entry) error {
	for _, e := range entries {
		if e.Sequence > c.next {
			if err := c.lose(api.Lost_REASON_REMOVED, c.next, e.Sequence-1); err != nil {
				return err
			}
		}
		if err := c.send(e); err != nil {
			return err
		}
		c.next = e.Sequence + 1
	}
	return nil
}

// send sends what the caller gets of a snapshot, also if it has no samples.
func (c *stream) send(e store.Entry) error {
	if e.End < int64(c.request.Since) || c.request.Until > 0 && e.Start >= int64(c.request.Until) {
		return nil
	}
	var message []byte
	err := c.work(c.to.Context(), c.filter.all, func() (err error) {
		message, err = c.read(e)
		return err
	})
	var system *fs.PathError
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, fs.ErrNotExist):
		return c.lose(api.Lost_REASON_REMOVED, e.Sequence, e.Sequence)
	case errors.As(err, &system) && !errors.Is(err, unix.EIO): // there is too little of something now
		return status.Errorf(codes.ResourceExhausted, "snapshot %d: %v", e.Sequence, system.Err)
	case err != nil:
		return c.lose(api.Lost_REASON_DAMAGED, e.Sequence, e.Sequence)
	case message == nil:
		return nil
	}
	if err := c.filter.runs.check(); err != nil {
		return err
	}
	return c.to.Send(snapshotEvent(&api.Snapshot{
		Sequence: e.Sequence, Start: uint64(e.Start), End: uint64(e.End), Profiles: message,
	}))
}

// read returns the message of a snapshot: the one in the store, if the caller gets all of it.
func (c *stream) read(e store.Entry) ([]byte, error) {
	frame, err := c.config.Store.Read(e)
	if err != nil {
		return nil, err
	}
	message, err := otlp.Decompress(frame)
	if err != nil || c.filter.keepsAll() {
		return message, err
	}
	s, err := otlp.Decode(message)
	if err != nil {
		return nil, err
	}
	if s = c.filter.apply(s); s == nil {
		return nil, nil // its name in the store had another interval
	}
	return otlp.Encode(s, c.config.Build)
}

func (c *stream) lose(why api.Lost_Reason, first, last uint64) error {
	return c.to.Send(lostEvent(&api.Lost{Reason: why, Count: last - first + 1, First: first, Last: last}))
}
