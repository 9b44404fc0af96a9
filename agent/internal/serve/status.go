package serve

import (
	"context"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/hotspan/hotspan/agent/api"
)

// Status says what the agent does, to callers that may have everything.
func (s *Server) Status(ctx context.Context, _ *api.StatusRequest) (*api.StatusResponse, error) {
	who, end, err := s.begin(ctx, s.calls)
	if err != nil {
		return nil, err
	}
	defer end()
	if !who.all {
		return nil, status.Error(codes.PermissionDenied, "the agent's status is for root")
	}
	out := s.config.Status()
	entries, _ := s.config.Store.From(0)
	if n := len(entries); n > 0 {
		out.FirstSequence, out.LastSequence = entries[0].Sequence, entries[n-1].Sequence
	}
	return out, nil
}
