package main

import (
	"context"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pprofile"
	"go.opentelemetry.io/collector/pdata/pprofile/pprofileotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding/gzip"
)

// request has a sample without names at 100 and 300 ns, and one in hashOrder, inlined into another function, at 200 ns.
func request() pprofileotlp.ExportRequest {
	p := pprofile.NewProfiles()
	d := p.Dictionary()
	d.StringTable().Append("", "hashOrder", "other")
	d.FunctionTable().AppendEmpty()
	for i := range int32(2) {
		d.FunctionTable().AppendEmpty().SetNameStrindex(i + 1)
	}
	d.LocationTable().AppendEmpty()
	d.LocationTable().AppendEmpty().Lines().AppendEmpty().SetFunctionIndex(2)
	inlined := d.LocationTable().AppendEmpty()
	inlined.Lines().AppendEmpty().SetFunctionIndex(1)
	inlined.Lines().AppendEmpty().SetFunctionIndex(2)
	d.StackTable().AppendEmpty()
	d.StackTable().AppendEmpty().LocationIndices().Append(1)
	d.StackTable().AppendEmpty().LocationIndices().Append(1, 2)
	samples := p.ResourceProfiles().AppendEmpty().ScopeProfiles().AppendEmpty().Profiles().AppendEmpty().Samples()
	for stack, times := range map[int32][]uint64{1: {300, 100}, 2: {200}} {
		s := samples.AppendEmpty()
		s.SetStackIndex(stack)
		s.TimestampsUnixNano().Append(times...)
	}
	return pprofileotlp.NewExportRequestFromProfiles(p)
}

// TestSink sends as OpenTelemetry's profiler does: compressed, over gRPC.
func TestSink(t *testing.T) {
	s, err := newSink()
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	if _, ok := s.newest(); ok {
		t.Error("it has a sample before one was sent")
	}
	if _, ok := s.firstNamed(); ok {
		t.Error("it has a named sample before one was sent")
	}
	connection, err := grpc.NewClient(s.address, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.UseCompressor(gzip.Name)))
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if _, err := pprofileotlp.NewGRPCClient(connection).Export(ctx, request()); err != nil {
		t.Fatal(err)
	}
	if at, ok := s.newest(); !ok || at.UnixNano() != 300 {
		t.Errorf("newest sample at %d, %v; want 300", at.UnixNano(), ok)
	}
	if at, ok := s.firstNamed(); !ok || at.UnixNano() != 200 {
		t.Errorf("first named sample at %d, %v; want 200", at.UnixNano(), ok)
	}
	if n := s.count(time.Unix(0, 100), time.Unix(0, 300)); n != 2 {
		t.Errorf("%d samples from 100 up to 300, want 2", n)
	}
}
