package otlp

import (
	"crypto/tls"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Agent identifies the profiler that took a snapshot.
type Agent struct {
	// Version is the version of the instrumentation scope "hotspan", and stands in the user agent; empty means devel.
	Version string
	// Build is what else identifies the build, such as its commit. It stands in the user agent, in parentheses.
	Build string
	// Attributes hold for all processes, such as host.name. Every resource gets them.
	Attributes map[string]string
}

// UserAgent returns hotspan/VERSION (BUILD). gRPC adds its own name and version to it.
func (a *Agent) UserAgent() string {
	s := "hotspan/" + a.Version
	if a.Version == "" {
		s += "devel"
	}
	if a.Build != "" {
		s += " (" + a.Build + ")"
	}
	return s
}

// Protocol is how messages are sent. The values are those of OTEL_EXPORTER_OTLP_PROTOCOL.
type Protocol string

// The protocols.
const (
	GRPC Protocol = "grpc"
	HTTP Protocol = "http/protobuf"
)

// Compression is how messages are compressed. The values are those of OTEL_EXPORTER_OTLP_COMPRESSION, and Zstd.
type Compression string

// The compressions. Collectors read all of them.
const (
	Gzip         Compression = "gzip"
	Zstd         Compression = "zstd"
	Uncompressed Compression = "none"
)

// The header says which version of the profiles schema a message has: there is no other sign, and it has changed before
// so that receivers understood something else. proto/otlp's profiles v0.3.0 is version 1, as in the Collector 0.164.
const (
	versionHeader = "otlp-profiles-development-version"
	wireVersion   = "1"
)

// Config configures an Exporter. The zero value is usable.
type Config struct {
	Agent   Agent
	Headers map[string]string // sent with every request, such as authorization
	TLS     *tls.Config       // for https; nil means the system's root certificates
	// Protocol is GRPC or HTTP; empty means GRPC.
	Protocol Protocol
	// Compression is Gzip, Zstd or Uncompressed; empty means Gzip, which every server reads.
	Compression Compression

	// ProfilePer names a label, such as http.route, of which each value gets a profile of its own, with the value as
	// its attribute: at most pprofx.MaxGroups values, those with most samples; the others are one profile,
	// pprofx.OtherValue, and samples without the label one without the attribute. Empty means one per process.
	ProfilePer string
	// MaxMessage is the size in bytes, before compression, above which a snapshot goes in several messages. 0 means a
	// little less than 4 MiB, the most that a gRPC server accepts by default.
	MaxMessage int
	// Timeout bounds one try; 0 means 10 s, the default of OTLP exporters.
	Timeout time.Duration
	// GiveUp bounds all tries of one Write whose context has no earlier deadline; 0 means a minute.
	GiveUp time.Duration
	// Warn gets the server's message where the server accepts a request in full and still has something to say
	// (partial_success with no rejected profiles). It is called from the goroutine of Write; nil drops the message.
	Warn func(message string)
}

const defaultMaxMessage = 4<<20 - 64<<10

// check returns an error for values that no exporter can work with.
func (c *Config) check() error {
	switch {
	case c.Protocol != "" && c.Protocol != GRPC && c.Protocol != HTTP:
		return fmt.Errorf("Protocol %q is neither %s nor %s", c.Protocol, GRPC, HTTP)
	case c.Compression != "" && c.Compression != Gzip && c.Compression != Zstd && c.Compression != Uncompressed:
		return fmt.Errorf("Compression %q is none of %s, %s and %s", c.Compression, Gzip, Zstd, Uncompressed)
	case c.MaxMessage < 0:
		return fmt.Errorf("MaxMessage %d is negative", c.MaxMessage)
	case c.Timeout < 0:
		return fmt.Errorf("Timeout %v is negative", c.Timeout)
	case c.GiveUp < 0:
		return fmt.Errorf("GiveUp %v is negative", c.GiveUp)
	case strings.ContainsFunc(c.Agent.UserAgent(), func(r rune) bool { return r < ' ' || r > '~' }):
		return errors.New("Agent: Version and Build must be printable ASCII")
	}
	return nil
}

// setDefaults puts the defaults in place of zero values.
func (c *Config) setDefaults() {
	if c.Protocol == "" {
		c.Protocol = GRPC
	}
	if c.Compression == "" {
		c.Compression = Gzip
	}
	if c.MaxMessage == 0 {
		c.MaxMessage = defaultMaxMessage
	}
	if c.Timeout == 0 {
		c.Timeout = 10 * time.Second
	}
	if c.GiveUp == 0 {
		c.GiveUp = time.Minute
	}
}
