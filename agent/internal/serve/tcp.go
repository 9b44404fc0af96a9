package serve

import (
	"context"
	"crypto/subtle"
	"crypto/tls"
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	fair "github.com/hotspan/hotspan/agent/internal/share"
)

// limited is a listener of which each host has a share: who has connected need not have the token. A host beyond its
// share is refused.
type limited struct {
	net.Listener
	hosts *fair.Shares[netip.Prefix]
	log   *slog.Logger
}

func (l limited) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		host := hostOf(c.RemoteAddr())
		if l.hosts.Take(host, 1) {
			return &counted{Conn: c, end: sync.OnceFunc(func() { l.hosts.Give(host, 1) })}, nil
		}
		l.log.Debug("connection refused: the host has too many", "host", host)
		c.Close()
	}
}

// hostOf is the network that is one host's: of IPv6 64 bits.
func hostOf(a net.Addr) netip.Prefix {
	at, _ := netip.ParseAddrPort(a.String())
	host := at.Addr().Unmap().WithZone("")
	host64, _ := host.Prefix(min(host.BitLen(), 64))
	return host64
}

// counted is a connection that counts until it is closed.
type counted struct {
	net.Conn
	end func()
}

func (c *counted) Close() error {
	c.end()
	return c.Conn.Close()
}

// withToken has gRPC serve by TLS, to those who send a token.
func withToken(config *tls.Config, token string) []grpc.ServerOption {
	return []grpc.ServerOption{
		grpc.Creds(credentials.NewTLS(config)),
		grpc.ChainUnaryInterceptor(func(
			ctx context.Context, request any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler,
		) (any, error) {
			if err := checkToken(ctx, token); err != nil {
				return nil, err
			}
			return handle(ctx, request)
		}),
		grpc.ChainStreamInterceptor(func(
			server any, stream grpc.ServerStream, _ *grpc.StreamServerInfo, handle grpc.StreamHandler,
		) error {
			if err := checkToken(stream.Context(), token); err != nil {
				return err
			}
			return handle(server, stream)
		}),
	}
}

func checkToken(ctx context.Context, token string) error {
	values := metadata.ValueFromIncomingContext(ctx, "authorization")
	if len(values) != 1 || !isToken(values[0], token) {
		return status.Error(codes.Unauthenticated, "want the token: authorization: Bearer TOKEN")
	}
	return nil
}

// isToken reports whether the value of an authorization header is a token, in a time that does not tell how much of it
// is right.
func isToken(header, token string) bool {
	got, ok := strings.CutPrefix(header, "Bearer ")
	return ok && token != "" && subtle.ConstantTimeCompare([]byte(got), []byte(token)) == 1
}
