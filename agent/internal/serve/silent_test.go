package serve_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/hotspan/hotspan/agent/api"
	"github.com/hotspan/hotspan/agent/client"
)

// TestSilentCapture: a caller that asks for nothing keeps no place, and is sent away.
func TestSilentCapture(t *testing.T) {
	s := start(t, 0)
	conn, err := grpc.NewClient("unix:"+s.socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	var silent []grpc.BidiStreamingClient[api.CaptureRequest, api.StreamResponse]
	for range 12 { // there are four places
		stream, err := api.NewProfilerClient(conn).Capture(ctx)
		if err != nil {
			t.Fatal(err)
		}
		silent = append(silent, stream)
	}
	c := s.dial(t)
	if _, err := c.Status(t.Context()); err != nil {
		t.Fatal(err)
	}
	profile, _, err := c.Capture(t.Context(), client.Capture{Process: client.Process{PID: os.Getpid()}, Rate: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range profile {
		if err == nil || !strings.Contains(err.Error(), "no such luck") { // what a capture at this rate says
			t.Errorf("beside those that are silent: %v", err)
		}
	}
	for _, stream := range silent {
		if _, err := stream.Recv(); !strings.HasPrefix(status.Convert(err).Message(), "nothing was asked for") {
			t.Errorf("a silent one: %v", err)
		}
	}
}
