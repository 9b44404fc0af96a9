package otlp

import (
	"context"
	"errors"
	"net/url"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	_ "google.golang.org/grpc/encoding/gzip" // for what servers send
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// grpcTransport sends messages over gRPC.
type grpcTransport struct {
	dial    func() (*grpc.ClientConn, error)
	headers metadata.MD

	mu   sync.Mutex
	conn *grpc.ClientConn
}

func newGRPC(u *url.URL, c *Config) (transport, error) {
	if u.Path != "" && u.Path != "/" {
		return nil, errors.New("gRPC takes a host and a port, no path")
	}
	if u.Port() == "" {
		u.Host += ":4317"
	}
	options := c.dialOptions(u.Scheme == "https")
	dial := func() (*grpc.ClientConn, error) { return grpc.NewClient(u.Host, options...) }
	conn, err := dial()
	if err != nil {
		return nil, err
	}
	headers := metadata.New(c.Headers)
	headers.Set(versionHeader, wireVersion)
	return &grpcTransport{dial: dial, headers: headers, conn: conn}, nil
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
		grpc.WithUserAgent(c.Agent.UserAgent()),
		grpc.WithDefaultCallOptions(grpc.ForceCodecV2(marshalled{}), grpc.MaxCallRecvMsgSize(maxAnswer)),
	}
	if by := compressors[c.Compression]; by != nil {
		options = append(options, grpc.WithCompressor(by))
	}
	return options
}

// exportMethod is the method of opentelemetry/proto/collector/profiles/v1development/profiles_service.proto.
const exportMethod = "/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export"

// send implements transport.
func (t *grpcTransport) send(ctx context.Context, message []byte) (answer, error) {
	var response []byte
	ctx = metadata.NewOutgoingContext(ctx, t.headers)
	err := t.current().Invoke(ctx, exportMethod, message, &response)
	if isUnread(err) {
		return unread, nil
	}
	if err != nil {
		said := status.Convert(err).Proto()
		said.Message = quote(said.Message)
		return answer{}, status.FromProto(said).Err()
	}
	a, err := parseAnswer(response)
	if err != nil {
		return answer{}, nil // it was accepted, as in http.go
	}
	return a, nil
}

func (t *grpcTransport) current() *grpc.ClientConn {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.conn
}

// renew implements transport. Messages that are under way get an error after which they are tried again.
func (t *grpcTransport) renew() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.conn.GetState() == connectivity.Shutdown {
		return
	}
	if conn, err := t.dial(); err == nil {
		t.conn.Close()
		t.conn = conn
	}
}

// Close closes the connection.
func (t *grpcTransport) Close() error { return t.current().Close() }

// marshalled is the codec of messages that are marshalled already.
type marshalled struct{}

// Name is that of the codec on the wire.
func (marshalled) Name() string { return "proto" }

// Marshal takes a []byte and implements encoding.CodecV2.
func (marshalled) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(v.([]byte))}, nil
}

// Unmarshal takes a *[]byte and implements encoding.CodecV2.
func (marshalled) Unmarshal(data mem.BufferSlice, v any) error {
	*v.(*[]byte) = data.Materialize()
	return nil
}
