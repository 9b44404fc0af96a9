package otlp

import (
	"compress/gzip"
	"crypto/tls"
	"errors"
	"fmt"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	_ "google.golang.org/grpc/encoding/gzip" // for what servers send
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

// userAgent returns hotspan/VERSION (BUILD), to which gRPC adds its own name and version.
func (a *Agent) userAgent() string {
	s := "hotspan/" + a.Version
	if a.Version == "" {
		s += "devel"
	}
	if a.Build != "" {
		s += " (" + a.Build + ")"
	}
	return s
}

// Config configures an Exporter. The zero value is usable.
type Config struct {
	Agent   Agent
	Headers map[string]string // sent with every request, such as authorization
	TLS     *tls.Config       // for https; nil means the system's root certificates
	Plain   bool              // send uncompressed; otherwise gzip

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
	case c.MaxMessage < 0:
		return fmt.Errorf("MaxMessage %d is negative", c.MaxMessage)
	case c.Timeout < 0:
		return fmt.Errorf("Timeout %v is negative", c.Timeout)
	case c.GiveUp < 0:
		return fmt.Errorf("GiveUp %v is negative", c.GiveUp)
	case strings.ContainsFunc(c.Agent.userAgent(), func(r rune) bool { return r < ' ' || r > '~' }):
		return errors.New("Agent: Version and Build must be printable ASCII")
	}
	return nil
}

// setDefaults puts the defaults in place of zero values.
func (c *Config) setDefaults() {
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

func (c *Config) dialOptions(secure bool) []grpc.DialOption {
	transport := insecure.NewCredentials()
	if secure {
		transport = credentials.NewTLS(c.TLS)
	}
	reconnect := grpc.ConnectParams{Backoff: backoff.DefaultConfig, MinConnectTimeout: 5 * time.Second}
	reconnect.Backoff.BaseDelay, reconnect.Backoff.MaxDelay = firstWait, maxWait
	options := []grpc.DialOption{
		grpc.WithTransportCredentials(transport),
		grpc.WithConnectParams(reconnect),
		grpc.WithUserAgent(c.Agent.userAgent()),
	}
	if !c.Plain {
		options = append(options, grpc.WithCompressor(fastGzip))
	}
	return options
}

// fastGzip compresses at level 1, which takes a third of the CPU time of the default level and leaves a snapshot a
// tenth larger. grpc.UseCompressor knows levels too, but only one for the whole program.
var fastGzip = func() grpc.Compressor {
	c, err := grpc.NewGZIPCompressorWithLevel(gzip.BestSpeed)
	if err != nil {
		panic(err) // there is no such level
	}
	return c
}()
