package serve

import (
	"crypto/tls"
	"fmt"
	"net"
	"os/user"
	"strconv"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"

	"github.com/hotspan/hotspan/agent/api"
	fair "github.com/hotspan/hotspan/agent/internal/share"
)

// Listen begins to serve.
func Listen(c Config) (*Server, error) {
	group, err := GroupID(c.Group)
	if err != nil {
		return nil, fmt.Errorf("socket: %w", err)
	}
	l, err := listen(c.Socket, group, c.Log)
	if err != nil {
		return nil, err
	}
	s := &Server{
		config: c, ended: make(chan struct{}), calls: newQuota(maxCalls, maxCallsUser, 0),
		captures: newQuota(maxCaptures, maxCapturesUser, leastCapture), working: make(chan struct{}, maxWorking),
		resting: make(chan struct{}, 1), memory: fair.New[uint32](sessionsBytes, sessionsUser),
		shares: shares{users: fair.New[uint32](maxShares, sharesUser)},
	}
	s.serve(l.grpc, grpc.Creds(local{}))
	s.serveHTTP(l.http)
	return s, nil
}

// GroupID returns the id of a group, which may be the name itself; -1 for an empty name.
func GroupID(name string) (int, error) {
	if name == "" {
		return -1, nil
	}
	g, err := user.LookupGroup(name)
	if err == nil {
		name = g.Gid
	}
	if id, notNumber := strconv.Atoi(name); notNumber == nil {
		return id, nil
	}
	return -1, err
}

// ListenTCP serves at HOST:PORT too, to callers that have the token.
func (s *Server) ListenTCP(address string, config *tls.Config, token string) (net.Addr, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	s.serve(fair.ByHost(l, s.config.Log), withToken(config, token)...)
	return l.Addr(), nil
}

func (s *Server) serve(l net.Listener, options ...grpc.ServerOption) {
	server := grpc.NewServer(append(options,
		grpc.MaxRecvMsgSize(maxRequest), grpc.MaxConcurrentStreams(maxStreams), grpc.MaxHeaderListSize(16<<10),
		grpc.ConnectionTimeout(speakTime), grpc.KeepaliveParams(keepalive.ServerParameters{Time: time.Minute}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{
			MinTime: 10 * time.Second, PermitWithoutStream: true,
		}),
		grpc.WriteBufferSize(16<<10), grpc.ReadBufferSize(8<<10),
	)...)
	api.RegisterProfilerServer(server, s)
	healthpb.RegisterHealthServer(server, health.NewServer())
	s.servers = append(s.servers, server)
	go server.Serve(l)
}

// Close ends all calls and the server.
func (s *Server) Close() error {
	s.once.Do(func() {
		close(s.ended)
		for _, server := range s.servers {
			server.Stop()
		}
	})
	return s.http.Close()
}
