package otlp

import (
	"context"

	collectorpb "go.opentelemetry.io/proto/otlp/collector/profiles/v1development"
)

// transport sends one marshalled message, once. An error says by its gRPC status whether to try again; see nextTry.
type transport interface {
	send(ctx context.Context, message []byte) (*collectorpb.ExportProfilesPartialSuccess, error)
	Close() error
}
