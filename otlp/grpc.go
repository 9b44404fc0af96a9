package otlp

import (
	"context"
	"errors"
	"net/url"

	collectorpb "go.opentelemetry.io/proto/otlp/collector/profiles/v1development"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding"
	_ "google.golang.org/grpc/encoding/gzip" // for what servers send
	encodingproto "google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
)

// grpcTransport sends messages over gRPC.
type grpcTransport struct {
	*grpc.ClientConn
	headers metadata.MD
}

func newGRPC(u *url.URL, c *Config) (transport, error) {
	if u.Path != "" && u.Path != "/" {
		return nil, errors.New("gRPC takes a host and a port, no path")
	}
	if u.Port() == "" {
		u.Host += ":4317"
	}
	conn, err := grpc.NewClient(u.Host, c.dialOptions(u.Scheme == "https")...)
	if err != nil {
		return nil, err
	}
	headers := metadata.New(c.Headers)
	headers.Set(versionHeader, wireVersion)
	return &grpcTransport{conn, headers}, nil
}

func (c *Config) dialOptions(secure bool) []grpc.DialOption {
	transport := insecure.NewCredentials()
	if secure {
		transport = credentials.NewTLS(c.TLS)
	}
	reconnect := grpc.ConnectParams{Backoff: backoff.DefaultConfig, MinConnectTimeout: c.Timeout / 2}
	reconnect.Backoff.BaseDelay, reconnect.Backoff.MaxDelay = firstWait, maxWait
	options := []grpc.DialOption{
		grpc.WithTransportCredentials(transport),
		grpc.WithConnectParams(reconnect),
		grpc.WithUserAgent(c.Agent.userAgent()),
		grpc.WithDefaultCallOptions(grpc.ForceCodecV2(marshalled{encoding.GetCodecV2(encodingproto.Name)})),
	}
	if !c.Plain {
		options = append(options, grpc.WithCompressor(fastGzip))
	}
	return options
}

// exportMethod is the method of opentelemetry/proto/collector/profiles/v1development/profiles_service.proto.
const exportMethod = "/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export"

// send implements transport.
func (t *grpcTransport) send(ctx context.Context, message []byte) (*collectorpb.ExportProfilesPartialSuccess, error) {
	var response collectorpb.ExportProfilesServiceResponse
	ctx = metadata.NewOutgoingContext(ctx, t.headers)
	err := t.Invoke(ctx, exportMethod, message, &response)
	return response.PartialSuccess, err
}

// marshalled is the codec of requests that are marshalled already.
type marshalled struct{ encoding.CodecV2 }

// Marshal takes a []byte and implements encoding.CodecV2.
func (m marshalled) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(v.([]byte))}, nil
}
