package record

import (
	"bytes"
	"context"
	"net"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/pprofile/pprofileotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/pprofx"
)

// warningServer accepts all profiles and says something of them.
type warningServer struct {
	pprofileotlp.UnimplementedGRPCServer
	metadata metadata.MD
	scope    string
}

func (s *warningServer) Export(ctx context.Context, r pprofileotlp.ExportRequest) (pprofileotlp.ExportResponse, error) {
	s.metadata, _ = metadata.FromIncomingContext(ctx)
	s.scope = r.Profiles().ResourceProfiles().At(0).ScopeProfiles().At(0).Scope().Version()
	response := pprofileotlp.NewExportResponse()
	response.PartialSuccess().SetErrorMessage("deprecated\x1b[2J\nformat")
	return response, nil
}

func TestOTLPWarning(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &warningServer{}
	g := grpc.NewServer()
	pprofileotlp.RegisterGRPCServer(g, server)
	go g.Serve(listener)
	defer g.Stop()

	var stderr bytes.Buffer
	sink, err := dialOTLP("http://"+listener.Addr().String(), terminal.Console{Writer: &stderr}.Logger(false))
	if err != nil {
		t.Fatal(err)
	}
	defer sink.Close()
	lost := map[pprofx.LostReason]int64{pprofx.LostExited: 1}
	if err := sink.Write(t.Context(), &pprofx.Snapshot{Start: 1, End: 2, Period: 1, Lost: lost}); err != nil {
		t.Fatal(err)
	}
	const want = "hotspan: warn: the OTLP server accepted the snapshot with a warning: deprecated [2J format\n"
	if diff := cmp.Diff(want, stderr.String()); diff != "" {
		t.Error(diff)
	}
	if server.scope != "devel" {
		t.Errorf("scope version %q", server.scope)
	}
	agent := regexp.MustCompile(`^hotspan/devel \(BPF object [0-9a-f]{12}\) grpc-go/`)
	if got := server.metadata.Get("user-agent"); len(got) != 1 || !agent.MatchString(got[0]) {
		t.Errorf("user agent %q", got)
	}
}
