package serve

import (
	"context"
	"crypto/subtle"
	"crypto/tls"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

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
