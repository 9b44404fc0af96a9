package otlp

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"github.com/hotspan/hotspan/pprofx"
	"go.opentelemetry.io/collector/pdata/pprofile"
	"go.opentelemetry.io/collector/pdata/pprofile/pprofileotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
)

// Exporter delivers snapshots to one server. It is safe for concurrent use.
type Exporter struct {
	endpoint string
	config   Config
	conn     *grpc.ClientConn
	client   pprofileotlp.GRPCClient
}

// Dial returns an exporter to an endpoint http://HOST:PORT (no encryption) or https://HOST:PORT (TLS); the default port
// is 4317. It does not connect yet: an error means that the endpoint or the configuration is malformed. The caller must
// Close the exporter.
func Dial(endpoint string, c Config) (*Exporter, error) {
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("otlp: %w", err)
	}
	target, secure, err := parse(endpoint)
	if err != nil {
		return nil, fmt.Errorf("otlp endpoint %q: %w", endpoint, err)
	}
	conn, err := grpc.NewClient(target, c.dialOptions(secure)...)
	if err != nil {
		return nil, fmt.Errorf("otlp endpoint %q: %w", endpoint, err)
	}
	c.setDefaults()
	return &Exporter{endpoint, c, conn, pprofileotlp.NewGRPCClient(conn)}, nil
}

func parse(endpoint string) (target string, secure bool, err error) {
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", false, errors.New("want http://HOST:4317 or https://HOST:4317")
	}
	if u.User != nil || u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "" {
		return "", false, errors.New("gRPC takes a host and a port, nothing more")
	}
	if u.Port() == "" {
		u.Host += ":4317"
	}
	return u.Host, u.Scheme == "https", nil
}

// Write delivers s. After errors that OTLP calls retryable it tries again, until ctx ends or Config.GiveUp has passed.
// It does not send a snapshot without rows and losses. If the server rejects a part, the error is a *PartialError.
// After any other error, some messages of a large snapshot may have been delivered; the error says how many.
func (e *Exporter) Write(ctx context.Context, s *pprofx.Snapshot) error {
	if len(s.Rows) == 0 && len(s.Lost) == 0 {
		return nil
	}
	if err := s.Check(); err != nil {
		return fmt.Errorf("otlp %s: %w", e.endpoint, err)
	}
	ctx, cancel := context.WithTimeout(e.withHeaders(ctx), e.config.GiveUp)
	defer cancel()
	partial := &PartialError{Endpoint: e.endpoint}
	all := messages(s, e.config.Agent, processes(s), e.config.MaxMessage)
	for i, m := range all {
		response, err := e.deliver(ctx, m)
		if err != nil {
			return fmt.Errorf("otlp %s: message %d of %d: %w", e.endpoint, i+1, len(all), err)
		}
		e.note(partial, response, m)
	}
	if partial.Rejected > 0 {
		return partial
	}
	return nil
}

// deliver sends one message and tries again after errors that may pass, until ctx ends.
func (e *Exporter) deliver(ctx context.Context, m pprofile.Profiles) (pprofileotlp.ExportPartialSuccess, error) {
	request := pprofileotlp.NewExportRequestFromProfiles(m)
	var last error
	for try := 1; ; try++ {
		response, err := e.try(ctx, request)
		if err == nil {
			return response.PartialSuccess(), nil
		}
		if ctx.Err() != nil && last != nil {
			err = last // says more than that time ran out
		}
		last = err
		wait, again := nextTry(err, try)
		if !again {
			return none(), explain(err)
		}
		if !pause(ctx, wait) {
			return none(), fmt.Errorf("gave up after %d tries (%w): %w", try, ended(ctx), explain(err))
		}
	}
}

func none() pprofileotlp.ExportPartialSuccess { return pprofileotlp.NewExportPartialSuccess() }

func (e *Exporter) try(ctx context.Context, r pprofileotlp.ExportRequest) (pprofileotlp.ExportResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, e.config.Timeout)
	defer cancel()
	return e.client.Export(ctx, r)
}

func (e *Exporter) withHeaders(ctx context.Context) context.Context {
	for key, value := range e.config.Headers {
		ctx = metadata.AppendToOutgoingContext(ctx, key, value)
	}
	return ctx
}

// Close closes the connection. A Write that is in progress fails.
func (e *Exporter) Close() error { return e.conn.Close() }

// PartialError means that a server accepted a snapshot and rejected a part of it.
type PartialError struct {
	Endpoint     string
	Rejected, Of int64  // profiles; a snapshot has one per process and message
	Message      string // the server's reason
}

// Error returns the endpoint, both numbers and the server's reason.
func (e *PartialError) Error() string {
	return fmt.Sprintf("otlp %s: rejected %d of %d profiles: %s", e.Endpoint, e.Rejected, e.Of, e.Message)
}

// note adds the server's response to message m to p.
func (e *Exporter) note(p *PartialError, response pprofileotlp.ExportPartialSuccess, m pprofile.Profiles) {
	p.Of += int64(m.ResourceProfiles().Len())
	p.Rejected += response.RejectedProfiles()
	switch {
	case response.RejectedProfiles() > 0:
		p.Message = response.ErrorMessage()
	case response.ErrorMessage() != "" && e.config.Warn != nil:
		e.config.Warn(response.ErrorMessage())
	}
}
