// Package client reads profiles from a running agent: those in its store, samples as they are taken, and profiles of
// one process at a rate of their own. Dial connects to the agent of this machine.
package client

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"iter"
	"net"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/hotspan/hotspan/agent/api"
	"github.com/hotspan/hotspan/otlp"
	"github.com/hotspan/hotspan/pprofx"
)

// DefaultSocket is where an agent listens that was not told otherwise.
const DefaultSocket = "/run/hotspan/agent.sock"

// Client is a connection to an agent. It is safe for concurrent use.
type Client struct {
	conn *grpc.ClientConn
	api  api.ProfilerClient
}

// maxMessage bounds a snapshot, in bytes.
const maxMessage = 1 << 30

// Dial connects to the agent that listens on a Unix socket. The agent serves root, its own user and a group all there
// is, other processes what is their own.
func Dial(socket string) (*Client, error) {
	through := func(ctx context.Context, _ string) (net.Conn, error) { return dialSocket(ctx, socket) }
	return dial("unix:"+socket, insecure.NewCredentials(), grpc.WithContextDialer(through))
}

// DialTLS connects to the agent that listens at HOST:PORT, with the token that it expects. A nil config has the
// system's certificates.
func DialTLS(address, token string, config *tls.Config) (*Client, error) {
	return dial("dns:///"+address, credentials.NewTLS(config), grpc.WithPerRPCCredentials(bearer(token)))
}

func dial(target string, by credentials.TransportCredentials, options ...grpc.DialOption) (*Client, error) {
	conn, err := grpc.NewClient(target, append(options, grpc.WithTransportCredentials(by),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage)))...)
	if err != nil {
		return nil, err
	}
	return &Client{conn, api.NewProfilerClient(conn)}, nil
}

// Close ends the connection and all that is read from it.
func (c *Client) Close() error { return c.conn.Close() }

// bearer is a token that goes with each call.
type bearer string

func (b bearer) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer " + string(b)}, nil
}

func (bearer) RequireTransportSecurity() bool { return true }

// Event is what comes next: a snapshot, or what is lost in its place.
type Event struct {
	Sequence uint64           // of the snapshot in the store, from 1; 0 for samples
	Snapshot *pprofx.Snapshot // nil: Lost says what is missing
	Lost     *Lost
}

// Reason is why something is lost.
type Reason string

// The reasons.
const (
	Removed Reason = "removed"  // snapshots that the store removed before they were sent
	Damaged Reason = "damaged"  // snapshots that cannot be read
	TooSlow Reason = "too slow" // samples that were not read in time
)

// Lost says what the agent could not send.
type Lost struct {
	Reason      Reason
	Count       uint64 // of snapshots; of samples if First is 0
	First, Last uint64 // sequences
}

// Snapshots chooses what Stream returns. The zero Snapshots is all that the store holds.
type Snapshots struct {
	Filter
	Since, Until time.Time // only samples of [Since, Until); zero: any
	From         uint64    // only from this sequence on
	Last         int       // only so many of the newest that are there; 0: all
	Follow       bool      // goes on with those that are cut later, until the context ends
}

// Stream returns snapshots of the store, in order. After an error nothing follows.
func (c *Client) Stream(ctx context.Context, s Snapshots) iter.Seq2[Event, error] {
	return events(ctx, func(ctx context.Context) (receiver, error) {
		return c.api.Stream(ctx, &api.StreamRequest{
			Filter: s.Filter.request(), Since: nanoseconds(s.Since), Until: nanoseconds(s.Until), FromSequence: s.From,
			Last: uint32(max(s.Last, 0)), Follow: s.Follow,
		})
	})
}

// Samples returns samples while they are taken, in snapshots of some 200 ms, until the context ends. oneIn thins them:
// each one that comes stands for so many. After an error nothing follows.
func (c *Client) Samples(ctx context.Context, f Filter, oneIn int) iter.Seq2[Event, error] {
	return events(ctx, func(ctx context.Context) (receiver, error) {
		return c.api.Samples(ctx, &api.SamplesRequest{Filter: f.request(), OneIn: uint32(max(oneIn, 0))})
	})
}

// Capture is a profile of one process at a rate of its own.
type Capture struct {
	Process  Process       // the zero Process is the caller
	Duration time.Duration // from when it samples, at most an hour; 0: until the function end is called, or for an hour
	Rate     int           // samples per second on each CPU; 0: 99
	Rules    []string      // labels besides the agent's own: NAME=PATH
}

// Capture has the agent sample a process. The profile comes in snapshots. end ends it; what was sampled until then
// still comes. After an error nothing follows. The caller reads the profile or ends the context.
func (c *Client) Capture(
	ctx context.Context, of Capture,
) (profile iter.Seq2[Event, error], end func() error, err error) {
	call, err := c.api.Capture(ctx)
	if err != nil {
		return nil, nil, told(err)
	}
	err = call.Send(&api.CaptureRequest{
		Process: of.Process.request(), Duration: uint64(max(of.Duration, 0)), Rate: uint32(max(of.Rate, 0)),
		Rules: of.Rules,
	})
	if err != nil && !errors.Is(err, io.EOF) { // then Recv says why
		return nil, nil, told(err)
	}
	return events(ctx, func(context.Context) (receiver, error) { return call, nil }), call.CloseSend, nil
}

// Status returns what the agent does. It is for those that may have everything.
func (c *Client) Status(ctx context.Context) (*api.StatusResponse, error) {
	s, err := c.api.Status(ctx, &api.StatusRequest{})
	if err != nil {
		return nil, told(err)
	}
	return s, nil
}

type receiver interface {
	Recv() (*api.StreamResponse, error)
}

// events returns what a call sends.
func events(ctx context.Context, call func(context.Context) (receiver, error)) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		ctx, end := context.WithCancel(ctx)
		defer end()
		from, err := call(ctx)
		for err == nil {
			var r *api.StreamResponse
			var e Event
			if r, err = from.Recv(); err == nil {
				e, err = event(r)
			}
			if errors.Is(err, io.EOF) {
				return
			}
			if err == nil && !yield(e, nil) {
				return
			}
		}
		yield(Event{}, told(err))
	}
}

func event(r *api.StreamResponse) (e Event, err error) {
	if lost := r.GetLost(); lost != nil {
		e.Lost = &Lost{reasons[lost.Reason], lost.Count, lost.First, lost.Last}
		return e, nil
	}
	e.Sequence = r.GetSnapshot().GetSequence()
	e.Snapshot, err = otlp.Decode(r.GetSnapshot().GetProfiles())
	return e, err
}

var reasons = map[api.Lost_Reason]Reason{
	api.Lost_REASON_REMOVED: Removed, api.Lost_REASON_DAMAGED: Damaged, api.Lost_REASON_TOO_SLOW: TooSlow,
}
