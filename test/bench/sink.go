package main

import (
	"context"
	"math"
	"net"
	"slices"
	"sync"
	"time"

	"go.opentelemetry.io/collector/pdata/pprofile"
	"go.opentelemetry.io/collector/pdata/pprofile/pprofileotlp"
	"google.golang.org/grpc"
	_ "google.golang.org/grpc/encoding/gzip" // what OpenTelemetry's profiler sends is compressed
)

// sink is an OTLP server on loopback that keeps of each sample when it was taken, and nothing else.
type sink struct {
	pprofileotlp.UnimplementedGRPCServer
	server  *grpc.Server
	address string

	mu    sync.Mutex
	times []int64 // of all samples, in nanoseconds of Unix time
	named []int64 // of those that were named
}

func newSink() (*sink, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &sink{server: grpc.NewServer(grpc.MaxRecvMsgSize(256 << 20)), address: listener.Addr().String()}
	pprofileotlp.RegisterGRPCServer(s.server, s)
	go s.server.Serve(listener)
	return s, nil
}

func (s *sink) close() { s.server.Stop() }

// Export implements pprofileotlp.GRPCServer.
func (s *sink) Export(_ context.Context, r pprofileotlp.ExportRequest) (pprofileotlp.ExportResponse, error) {
	all := r.Profiles()
	named := namedStacks(all.Dictionary())
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, resource := range all.ResourceProfiles().All() {
		for _, scope := range resource.ScopeProfiles().All() {
			for _, profile := range scope.Profiles().All() {
				for _, sample := range profile.Samples().All() {
					s.add(sample.TimestampsUnixNano().AsRaw(), named[sample.StackIndex()])
				}
			}
		}
	}
	return pprofileotlp.NewExportResponse(), nil
}

func (s *sink) add(times []uint64, named bool) {
	for _, t := range times {
		s.times = append(s.times, int64(t))
		if named {
			s.named = append(s.named, int64(t))
		}
	}
}

// namedStacks are the indices of those stacks that have one of ownFunctions.
func namedStacks(d pprofile.ProfilesDictionary) map[int32]bool {
	functions := map[int32]bool{}
	for i, f := range d.FunctionTable().All() {
		functions[int32(i)] = ownFunctions[d.StringTable().At(int(f.NameStrindex()))]
	}
	locations := map[int32]bool{}
	for i, l := range d.LocationTable().All() {
		for _, line := range l.Lines().All() {
			locations[int32(i)] = locations[int32(i)] || functions[line.FunctionIndex()]
		}
	}
	stacks := map[int32]bool{}
	for i, s := range d.StackTable().All() {
		stacks[int32(i)] = slices.ContainsFunc(s.LocationIndices().AsRaw(), func(l int32) bool { return locations[l] })
	}
	return stacks
}

// newest is when the newest sample was taken; false if there is none.
func (s *sink) newest() (time.Time, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.times) == 0 {
		return time.Time{}, false
	}
	return time.Unix(0, slices.Max(s.times)), true
}

// firstNamed is when the first named sample was taken; false if there is none.
func (s *sink) firstNamed() (time.Time, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := int64(math.MaxInt64)
	for _, t := range s.named {
		first = min(first, t)
	}
	return time.Unix(0, first), len(s.named) > 0
}

// count is how many samples were taken from one time to another.
func (s *sink) count(from, to time.Time) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, t := range s.times {
		if t >= from.UnixNano() && t < to.UnixNano() {
			n++
		}
	}
	return n
}
