package main

import (
	"context"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pprofile"
	"go.opentelemetry.io/collector/pdata/pprofile/pprofileotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	_ "google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/status"
)

// behaviour is what a storing receiver does with a request.
type behaviour string

const (
	acknowledging behaviour = "acknowledging" // stores it and says so
	forgetting    behaviour = "forgetting"    // stores it and answers an error, as if the acknowledgement got lost
	hanging       behaviour = "hanging"       // stores it and answers nothing
	refusing      behaviour = "refusing"      // stores nothing: it is overloaded
	broken        behaviour = "broken"        // stores nothing: something is wrong in it
)

// storing is a receiver that stores what it gets before it acknowledges, so that what comes twice can be told.
type storing struct {
	pprofileotlp.UnimplementedGRPCServer
	address string
	server  *grpc.Server

	mu           sync.Mutex
	does         behaviour
	profiles     map[taking]pprofile.ProfileID
	acknowledged map[pprofile.ProfileID]bool
	again        int      // profiles that came again though they were acknowledged
	wrong        []string // samples in two profiles
	requests     map[behaviour]int
}

func newStoring(t *testing.T) *storing {
	s := &storing{
		address: fmt.Sprintf("127.0.0.1:%d", freePort(t)), does: acknowledging,
		profiles: map[taking]pprofile.ProfileID{}, acknowledged: map[pprofile.ProfileID]bool{},
		requests: map[behaviour]int{},
	}
	s.start(t)
	t.Cleanup(func() { s.server.Stop() })
	return s
}

func (s *storing) start(t *testing.T) {
	t.Helper()
	listener, err := net.Listen("tcp", s.address)
	if err != nil {
		t.Fatal(err)
	}
	s.server = grpc.NewServer()
	pprofileotlp.RegisterGRPCServer(s.server, s)
	go s.server.Serve(listener)
}

// kill ends the server. Requests that are under way get no answer.
func (s *storing) kill() {
	s.set(hanging)
	time.Sleep(50 * time.Millisecond) // for acknowledgements that are under way
	s.server.Stop()
}

func (s *storing) set(does behaviour) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.does = does
}

// Export implements pprofileotlp.GRPCServer.
func (s *storing) Export(ctx context.Context, r pprofileotlp.ExportRequest) (pprofileotlp.ExportResponse, error) {
	answer := pprofileotlp.NewExportResponse()
	s.mu.Lock()
	defer s.mu.Unlock()
	does := s.does
	s.requests[does]++
	switch does {
	case refusing:
		return answer, status.Error(codes.Unavailable, "overloaded")
	case broken:
		return answer, status.Error(codes.Internal, "nil pointer")
	}
	ids := s.store(r.Profiles())
	if does == hanging {
		s.mu.Unlock()
		<-ctx.Done()
		s.mu.Lock()
	}
	if does != acknowledging || ctx.Err() != nil {
		return answer, status.Error(codes.Unavailable, "it is stored, but you do not know")
	}
	for _, id := range ids {
		s.acknowledged[id] = true
	}
	return answer, nil
}

// store returns the IDs of the profiles in a message.
func (s *storing) store(m pprofile.Profiles) (ids []pprofile.ProfileID) {
	d := dictionary{m.Dictionary()}
	for _, r := range m.ResourceProfiles().All() {
		for _, p := range r.ScopeProfiles().At(0).Profiles().All() {
			id := p.ProfileID()
			ids = append(ids, id)
			if s.acknowledged[id] {
				s.again++
			}
			for _, k := range d.takings(p) {
				if other, ok := s.profiles[k]; ok && other != id {
					s.wrong = append(s.wrong, fmt.Sprintf("%v is in %v and in %v", k, other, id))
				}
				s.profiles[k] = id
			}
		}
	}
	return ids
}

// takings returns the samples of a profile.
func (d dictionary) takings(p pprofile.Profile) (all []taking) {
	for _, sample := range p.Samples().All() {
		var tid int64
		fmt.Sscan(d.attributes(sample.AttributeIndices())["thread.id"], &tid)
		for _, at := range sample.TimestampsUnixNano().All() {
			all = append(all, taking{tid, int64(at)})
		}
	}
	return all
}

// forget returns what the receiver has, and forgets what it has acknowledged: an agent that could not note it may
// deliver it again.
func (s *storing) forget() map[taking]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.acknowledged)
	all := map[taking]bool{}
	for k := range s.profiles {
		all[k] = true
	}
	return all
}

// check checks that the receiver has exactly these samples, each in one profile, and that at most so many profiles came
// again after they were acknowledged.
func (s *storing) check(t *testing.T, want map[taking]bool, again int) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for k := range s.profiles {
		if !want[k] {
			s.wrong = append(s.wrong, fmt.Sprintf("%v was never kept", k))
		}
	}
	missing := 0
	for k := range want {
		if _, ok := s.profiles[k]; !ok {
			missing++
		}
	}
	t.Logf("%d samples of %d, requests %v, %d profiles again", len(s.profiles), len(want), s.requests, s.again)
	if len(s.wrong) > 0 {
		t.Errorf("%d faults, such as %s", len(s.wrong), s.wrong[0])
	}
	if missing > 0 || s.again > again {
		t.Errorf("%d samples of %d are missing, %d profiles came again", missing, len(want), s.again)
	}
}
