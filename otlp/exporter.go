package otlp

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/url"
	"time"

	"github.com/hotspan/hotspan/pprofx"
	"go.opentelemetry.io/collector/pdata/pprofile"
	"go.opentelemetry.io/collector/pdata/pprofile/pprofileotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/metadata"
)

// Config is what an Exporter may be told. The zero value is good.
type Config struct {
	Agent   Agent
	Headers map[string]string // sent with every request, such as authorization
	TLS     *tls.Config       // for https; nil: the system's roots
	Plain   bool              // do not compress; else gzip

	// MaxMessage is the size in bytes, before compression, above which a snapshot goes in several messages. 0 means a
	// little less than 4 MiB, the most that a gRPC server takes unless it is told otherwise.
	MaxMessage int
	// Timeout is how long one try may take; 0 means 10 s, as OTLP's exporters have it.
	Timeout time.Duration
	// GiveUp is how long tries go on for one Write whose context has no earlier deadline; 0 means a minute.
	GiveUp time.Duration
	// Warn is told what a server says of a message that it took in full; may be nil.
	Warn func(message string)
}

const maxMessage = 4<<20 - 64<<10

// Exporter delivers snapshots to one server. Write may be called from several goroutines.
type Exporter struct {
	endpoint string
	config   Config
	conn     *grpc.ClientConn
	client   pprofileotlp.GRPCClient
}

// Dial makes an exporter to an endpoint http://HOST:PORT (no encryption) or https://HOST:PORT (TLS); without a port
// it is 4317. It does not wait for the server: an error is one of the endpoint's form.
func Dial(endpoint string, c Config) (*Exporter, error) {
	target, secure, err := parse(endpoint)
	if err != nil {
		return nil, fmt.Errorf("otlp endpoint %q: %w", endpoint, err)
	}
	conn, err := grpc.NewClient(target, c.options(secure)...)
	if err != nil {
		return nil, fmt.Errorf("otlp endpoint %q: %w", endpoint, err)
	}
	c.defaults()
	return &Exporter{endpoint, c, conn, pprofileotlp.NewGRPCClient(conn)}, nil
}

func parse(endpoint string) (target string, secure bool, err error) {
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", false, fmt.Errorf("want http://HOST:4317 or https://HOST:4317")
	}
	if u.User != nil || u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "" {
		return "", false, fmt.Errorf("gRPC takes a host and a port, nothing more")
	}
	if u.Port() == "" {
		u.Host += ":4317"
	}
	return u.Host, u.Scheme == "https", nil
}

func (c *Config) defaults() {
	if c.MaxMessage == 0 {
		c.MaxMessage = maxMessage
	}
	if c.Timeout == 0 {
		c.Timeout = 10 * time.Second
	}
	if c.GiveUp == 0 {
		c.GiveUp = time.Minute
	}
}

func (c *Config) options(secure bool) []grpc.DialOption {
	transport := insecure.NewCredentials()
	if secure {
		transport = credentials.NewTLS(c.TLS)
	}
	reconnect := grpc.ConnectParams{Backoff: backoff.DefaultConfig, MinConnectTimeout: 5 * time.Second}
	reconnect.Backoff.BaseDelay, reconnect.Backoff.MaxDelay = firstWait, maxWait
	options := []grpc.DialOption{
		grpc.WithTransportCredentials(transport),
		grpc.WithConnectParams(reconnect),
		grpc.WithUserAgent("hotspan/" + c.Agent.Version),
	}
	if !c.Plain {
		options = append(options, grpc.WithDefaultCallOptions(grpc.UseCompressor(gzip.Name)))
	}
	return options
}

// Write delivers s. It tries again while the server is said to recover, until ctx ends or Config.GiveUp has passed.
// A snapshot without rows and without losses is not sent. The error of a server that took only a part is a
// *PartialError. After another error some messages of a large snapshot may have been delivered; it says how many.
func (e *Exporter) Write(ctx context.Context, s *pprofx.Snapshot) error {
	if len(s.Rows) == 0 && len(s.Lost) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(e.withHeaders(ctx), e.config.GiveUp)
	defer cancel()
	partial := &PartialError{Endpoint: e.endpoint}
	all := messages(s, e.config.Agent, processes(s), e.config.MaxMessage)
	for i, m := range all {
		said, err := e.deliver(ctx, m)
		if err != nil {
			return fmt.Errorf("otlp %s: message %d of %d: %w", e.endpoint, i+1, len(all), err)
		}
		e.note(partial, said, m)
	}
	if partial.Rejected > 0 {
		return partial
	}
	return nil
}

func (e *Exporter) withHeaders(ctx context.Context) context.Context {
	for key, value := range e.config.Headers {
		ctx = metadata.AppendToOutgoingContext(ctx, key, value)
	}
	return ctx
}

// Close ends the connection. A Write that is under way fails.
func (e *Exporter) Close() error { return e.conn.Close() }

// PartialError says that a server took a snapshot and dropped a part of it.
type PartialError struct {
	Endpoint     string
	Rejected, Of int64  // profiles; a snapshot has one per process and message
	Message      string // the server's reason
}

func (e *PartialError) Error() string {
	return fmt.Sprintf("otlp %s: rejected %d of %d profiles: %s", e.Endpoint, e.Rejected, e.Of, e.Message)
}

// note adds to p what the server said of message m.
func (e *Exporter) note(p *PartialError, said pprofileotlp.ExportPartialSuccess, m pprofile.Profiles) {
	p.Of += int64(m.ResourceProfiles().Len())
	p.Rejected += said.RejectedProfiles()
	switch {
	case said.RejectedProfiles() > 0:
		p.Message = said.ErrorMessage()
	case said.ErrorMessage() != "" && e.config.Warn != nil:
		e.config.Warn(said.ErrorMessage())
	}
}
