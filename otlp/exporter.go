package otlp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/hotspan/hotspan/pprofx"
)

// Exporter delivers snapshots to one server. It is safe for concurrent use.
type Exporter struct {
	endpoint  string
	config    Config
	transport transport
	mute      atomic.Bool // in the last try the server did not answer
}

// Dial returns an exporter to an endpoint http://HOST:PORT (no encryption) or https://HOST:PORT (TLS). The default port
// is 4317 for gRPC and 4318 for HTTP, whose default path is /v1development/profiles. Dial does not connect yet: an
// error means that the endpoint or the configuration is malformed. The caller must Close the exporter.
func Dial(endpoint string, c Config) (*Exporter, error) {
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("otlp: %w", err)
	}
	c.setDefaults()
	u, err := parse(endpoint)
	if err != nil {
		return nil, fmt.Errorf("otlp endpoint %q: %w", withoutUser(endpoint), err)
	}
	connect := newGRPC
	if c.Protocol == HTTP {
		connect = newHTTP
	}
	transport, err := connect(u, &c)
	if err != nil {
		return nil, fmt.Errorf("otlp endpoint %q: %w", withoutUser(endpoint), err)
	}
	return &Exporter{endpoint: endpoint, config: c, transport: transport}, nil
}

// withoutUser leaves out what may be a password, for messages.
func withoutUser(endpoint string) string {
	if at := strings.LastIndex(endpoint, "@"); at >= 0 {
		return "…" + endpoint[at:]
	}
	return endpoint
}

func parse(endpoint string) (*url.URL, error) {
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("want http://HOST:4317 or https://HOST:4317")
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("want a host and a port: a user, a query or a fragment has no meaning here")
	}
	return u, nil
}

// Try sends a message without profiles, once. The error says why the server would not take profiles either.
func (e *Exporter) Try(ctx context.Context) error {
	message, err := proto.Marshal(withoutProfiles(e.config.Agent))
	if err == nil {
		_, err = e.try(ctx, message)
	}
	if err != nil {
		return fmt.Errorf("otlp %s: %w", e.endpoint, explain(err))
	}
	return nil
}

// Speaks says what an Exporter sends.
func (e *Exporter) Speaks() string {
	return fmt.Sprintf("OTLP profiles v1development, %s %s, over %s", versionHeader, wireVersion, e.config.Protocol)
}

// Write delivers s. After errors that OTLP calls retryable it tries again, until ctx ends or Config.GiveUp has passed.
// It does not send a snapshot without rows and losses. If the server rejects a part, the error is a *PartialError.
// After any other error, some messages of a large snapshot may have been delivered; the error says how many.
func (e *Exporter) Write(ctx context.Context, s *pprofx.Snapshot) error {
	all, err := e.Messages(s)
	if err != nil {
		return err
	}
	return e.writeAll(ctx, all)
}

// Messages returns the marshalled messages of Profiles in which Write delivers s. The error is that of s.Check.
func (e *Exporter) Messages(s *pprofx.Snapshot) ([][]byte, error) {
	if len(s.Rows) == 0 && len(s.Lost) == 0 {
		return nil, nil
	}
	all, err := Messages(s, e.config)
	if err != nil {
		return nil, fmt.Errorf("otlp %s: %w", e.endpoint, err)
	}
	return all, nil
}

// Split returns a marshalled message of Profiles as messages that the server is to get instead: as it is, unless it is
// larger than Config.MaxMessage or there is a Config.ProfilePer. The error may be that the message is malformed.
func (e *Exporter) Split(message []byte) ([][]byte, error) {
	if len(message) <= e.config.MaxMessage && e.config.ProfilePer == "" {
		return [][]byte{message}, nil
	}
	s, err := Decode(message)
	if err != nil {
		return nil, err
	}
	return e.Messages(s)
}

// WriteMessage delivers one marshalled message of Profiles as it is: all of it, or nothing. Its error is that of Write;
// of that of a malformed message Refused is true.
func (e *Exporter) WriteMessage(ctx context.Context, message []byte) error {
	return e.writeAll(ctx, [][]byte{message})
}

// writeAll delivers the messages of one snapshot.
func (e *Exporter) writeAll(ctx context.Context, all [][]byte) error {
	ctx, cancel := context.WithTimeout(ctx, e.config.GiveUp)
	defer cancel()
	partial := &PartialError{Endpoint: e.endpoint}
	for i, message := range all {
		counts, err := Count(message)
		if err != nil {
			return status.Error(codes.InvalidArgument, err.Error())
		}
		a, err := e.deliver(ctx, message)
		if counts.Samples == 0 && wantsSamples(err) {
			a, err = answer{counts.Profiles, "it takes no profile that says only what was lost: " + err.Error()}, nil
		}
		if err != nil {
			return fmt.Errorf("otlp %s: message %d of %d: %w", e.endpoint, i+1, len(all), err)
		}
		e.note(partial, a, counts.Profiles)
	}
	if partial.Rejected > 0 {
		return partial
	}
	return nil
}

// wantsSamples reports whether err may be what a server says of a profile without samples. Parca's is Unknown, Internal
// over HTTP: it would get the same again and again, and what follows would wait.
func wantsSamples(err error) bool {
	switch status.Code(err) {
	case codes.InvalidArgument, codes.Unknown, codes.Internal:
		return true
	}
	return false
}

// deliver sends one message and tries again after errors that may pass, until ctx ends.
func (e *Exporter) deliver(ctx context.Context, data []byte) (answer, error) {
	var last error
	for try := 1; ; try++ {
		a, err := e.try(ctx, data)
		if err == nil {
			return a, nil
		}
		if ctx.Err() != nil && last != nil {
			err = last // says more than that time ran out
		}
		last = err
		wait, again := nextTry(err, try)
		if !again {
			return answer{}, explain(err)
		}
		if !pause(ctx, wait) {
			return answer{}, fmt.Errorf("gave up after %d tries (%w): %w", try, ended(ctx), explain(err))
		}
	}
}

// try sends a message once. After a server that did not answer it takes another connection: whoever is at the other end
// of the old one, or between, may be dead, and the kernel does not notice for a quarter of an hour, or never.
func (e *Exporter) try(ctx context.Context, message []byte) (answer, error) {
	if e.mute.Swap(false) {
		e.transport.renew()
	}
	begin := time.Now()
	ctx, cancel := context.WithTimeout(ctx, e.config.Timeout)
	defer cancel()
	a, err := e.transport.send(ctx, message)
	mute := err != nil && ctx.Err() != nil
	e.mute.Store(mute)
	if mute && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = status.Errorf(codes.DeadlineExceeded, "no answer within %v: %s",
			time.Since(begin).Round(100*time.Millisecond), status.Convert(err).Message())
	}
	return a, err
}

// Close closes the connection. A Write that is in progress fails.
func (e *Exporter) Close() error { return e.transport.Close() }

// PartialError means that a server accepted a snapshot and rejected a part of it.
type PartialError struct {
	Endpoint     string
	Rejected, Of int64  // profiles; a snapshot has at least one per process and message
	Message      string // the server's reason
	What         string // what is counted, if not profiles
}

// Error returns the endpoint, both numbers and the server's reason.
func (e *PartialError) Error() string {
	return fmt.Sprintf("%s: rejected %d of %d %s: %s", e.Endpoint, e.Rejected, e.Of, cmp.Or(e.What, "profiles"),
		e.Message)
}

// note adds the server's answer to a message of so many profiles to p. A server may say that it has rejected more, such
// as one that counts samples.
func (e *Exporter) note(p *PartialError, a answer, profiles int64) {
	rejected := min(max(a.rejected, 0), profiles)
	p.Of += profiles
	p.Rejected += rejected
	switch {
	case rejected > 0:
		p.Message = a.message
	case a.message != "" && e.config.Warn != nil:
		e.config.Warn(a.message)
	}
}
