package otlp_test

import (
	"context"
	"fmt"
	"log"
	"net"
	"time"

	"go.opentelemetry.io/collector/pdata/pprofile/pprofileotlp"
	"google.golang.org/grpc"

	"github.com/hotspan/hotspan/otlp"
	"github.com/hotspan/hotspan/pprofx"
)

// receiver stands for an OpenTelemetry Collector: it prints the samples that it gets.
type receiver struct {
	pprofileotlp.UnimplementedGRPCServer
}

func (*receiver) Export(_ context.Context, r pprofileotlp.ExportRequest) (pprofileotlp.ExportResponse, error) {
	for _, process := range r.Profiles().ResourceProfiles().All() {
		service, _ := process.Resource().Attributes().Get("service.name")
		for _, scope := range process.ScopeProfiles().All() {
			for _, profile := range scope.Profiles().All() {
				for _, sample := range profile.Samples().All() {
					fmt.Printf("%s %s: %d samples at %v\n", scope.Scope().Name(), service.Str(),
						sample.TimestampsUnixNano().Len(), sample.TimestampsUnixNano().AsRaw())
				}
			}
		}
	}
	return pprofileotlp.NewExportResponse(), nil
}

func listen() (endpoint string, stop func()) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	server := grpc.NewServer()
	pprofileotlp.RegisterGRPCServer(server, &receiver{})
	go server.Serve(listener)
	return "http://" + listener.Addr().String(), server.Stop
}

// A snapshot goes to a server of OTLP profiles over gRPC.
func ExampleExporter_Write() {
	endpoint, stop := listen()
	defer stop()
	exporter, err := otlp.Dial(endpoint, otlp.Config{
		Agent: otlp.Agent{Version: "v1.2.3", Attributes: map[string]string{"host.name": "web-1"}},
		Warn:  func(message string) { log.Print(message) },
	})
	if err != nil {
		log.Fatal(err)
	}
	defer exporter.Close()

	b, err := pprofx.NewBuilder(1000, 10)
	if err != nil {
		log.Fatal(err)
	}
	b.SetProcess(42, pprofx.Process{Service: "shop"})
	stack := []*pprofx.Frame{{Function: "main", File: "/srv/app.js", Line: 3}}
	for at := int64(1000); at < 1030; at += 10 {
		b.Add(&pprofx.Sample{Time: at, PID: 42, TID: 42, Thread: "node", Stop: pprofx.StopRoot, Stack: stack})
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := exporter.Write(ctx, b.Cut(2000)); err != nil {
		log.Fatal(err)
	}
	// Output:
	// hotspan shop: 3 samples at [1000 1010 1020]
}
