package otlp

import (
	"context"
	"net"
	"sync"
	"testing"

	"go.opentelemetry.io/collector/pdata/pprofile"
	"go.opentelemetry.io/collector/pdata/pprofile/pprofileotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/stats"
)

// server is a gRPC server of the profiles service. answer is asked before anything else and may refuse.
type server struct {
	pprofileotlp.UnimplementedGRPCServer
	address string
	answer  func(try int) (pprofileotlp.ExportResponse, error)

	mu          sync.Mutex
	tries       int
	received    []pprofile.Profiles
	metadata    metadata.MD
	compression string
}

func serve(t *testing.T, s *server, options ...grpc.ServerOption) *server {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.address = listener.Addr().String()
	g := grpc.NewServer(append(options, grpc.StatsHandler(s))...)
	pprofileotlp.RegisterGRPCServer(g, s)
	go g.Serve(listener)
	t.Cleanup(g.Stop)
	return s
}

func (s *server) Export(ctx context.Context, r pprofileotlp.ExportRequest) (pprofileotlp.ExportResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tries++
	s.metadata, _ = metadata.FromIncomingContext(ctx)
	response := pprofileotlp.NewExportResponse()
	if s.answer != nil {
		var err error
		if response, err = s.answer(s.tries); err != nil {
			return response, err
		}
	}
	s.received = append(s.received, r.Profiles())
	return response, nil
}

// HandleRPC is one of stats.Handler: it notes how requests are compressed.
func (s *server) HandleRPC(_ context.Context, r stats.RPCStats) {
	if header, ok := r.(*stats.InHeader); ok {
		s.mu.Lock()
		s.compression = header.Compression
		s.mu.Unlock()
	}
}

func (s *server) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context   { return ctx }
func (s *server) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }
func (s *server) HandleConn(context.Context, stats.ConnStats)                       {}
