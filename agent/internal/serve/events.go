package serve

import "github.com/hotspan/hotspan/agent/api"

func snapshotEvent(s *api.Snapshot) *api.StreamResponse {
	return &api.StreamResponse{Event: &api.StreamResponse_Snapshot{Snapshot: s}}
}

func lostEvent(l *api.Lost) *api.StreamResponse {
	return &api.StreamResponse{Event: &api.StreamResponse_Lost{Lost: l}}
}
