package serve

import (
	"context"
	"crypto/subtle"
	"crypto/tls"
	"errors"
	"net"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"

	fair "github.com/hotspan/hotspan/agent/internal/share"
)

// network is who is at the other end of a connection by TLS. It may have everything once it has sent the token.
type network struct {
	credentials.TLSInfo
	conn net.Conn // of the listener
}

// betweenHandshakes is the time from the begin of one to that of the next, and waitsHandshake how long a caller waits
// for its turn: whoever reaches the agent may ask for one, and the CPU time that it takes is in the agent's budget.
const betweenHandshakes, waitsHandshake = 50 * time.Millisecond, 5 * time.Second

// byTLS has gRPC know the connection of the listener, and begin handshakes one after the other.
type byTLS struct {
	credentials.TransportCredentials
	turn chan struct{}
}

// ServerHandshake implements credentials.TransportCredentials.
func (t byTLS) ServerHandshake(c net.Conn) (net.Conn, credentials.AuthInfo, error) {
	if err := readHello(c); err != nil {
		return nil, nil, err
	}
	select {
	case t.turn <- struct{}{}:
		time.AfterFunc(betweenHandshakes, func() { <-t.turn })
	case <-fair.Asks(c):
		return nil, nil, net.ErrClosed
	case <-time.After(waitsHandshake):
		return nil, nil, errors.New("too many handshakes are wanted")
	}
	secure, info, err := t.TransportCredentials.ServerHandshake(c)
	if err != nil {
		return nil, nil, err
	}
	of, _ := info.(credentials.TLSInfo) // it is no other
	return secure, network{of, c}, nil
}

// readHello waits until a caller has sent what a handshake begins with, or the first 4 KiB of that: one that sends
// nothing gets no turn. gRPC has set a deadline. (RFC 8446, 5.1: type, version, length)
func readHello(c net.Conn) error {
	const handshake, header, most = 22, 5, 4 << 10
	from := fair.Ahead(c, most)
	b, err := from.Peek(header)
	if err == nil && b[0] != handshake {
		err = errors.New("no TLS")
	}
	if err == nil {
		_, err = from.Peek(min(header+int(b[3])<<8+int(b[4]), most))
	}
	return err
}

// withToken has gRPC serve by TLS, to those who send a token.
func withToken(config *tls.Config, token string) []grpc.ServerOption {
	return []grpc.ServerOption{
		grpc.Creds(byTLS{credentials.NewTLS(config), make(chan struct{}, 1)}),
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
	if p, ok := peer.FromContext(ctx); ok {
		if n, ok := p.AuthInfo.(network); ok {
			fair.Keep(n.conn)
		}
	}
	return nil
}

// isToken reports whether the value of an authorization header is a token, in a time that does not tell how much of it
// is right.
func isToken(header, token string) bool {
	got, ok := strings.CutPrefix(header, "Bearer ")
	return ok && token != "" && subtle.ConstantTimeCompare([]byte(got), []byte(token)) == 1
}
