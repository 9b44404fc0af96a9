package main

import (
	"context"
	"net"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"connectrpc.com/connect"
	"github.com/google/pprof/profile"
	pushv1 "github.com/grafana/pyroscope/api/gen/proto/go/push/v1"
	"github.com/grafana/pyroscope/api/gen/proto/go/push/v1/pushv1connect"
)

// pyroscope takes profiles by Pyroscope's own generated API. Its server cannot be had as a module.
type pyroscope struct {
	mu     sync.Mutex
	series []*pushv1.RawProfileSeries
}

func (p *pyroscope) Push(
	_ context.Context, r *connect.Request[pushv1.PushRequest],
) (*connect.Response[pushv1.PushResponse], error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.series = append(p.series, r.Msg.Series...)
	return connect.NewResponse(&pushv1.PushResponse{}), nil
}

// TestAgentPyroscope: Pyroscope gets the samples that the agent keeps, under the name of the service, with route, trace
// and span and nothing else.
func TestAgentPyroscope(t *testing.T) {
	t.Parallel()
	server := &pyroscope{}
	mux := http.NewServeMux()
	mux.Handle(pushv1connect.NewPusherServiceHandler(server))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go http.Serve(listener, mux)
	defer listener.Close()

	a := newAgent(t)
	a.endpoint = "pyroscope+http://" + listener.Addr().String()
	a.name = lastArgument(t, requests(t))
	a.start(t)
	a.waitFor(t, 100)
	a.stop(t)
	want := len(kept(t, a.store))

	server.mu.Lock()
	defer server.mu.Unlock()
	sum, keys := int64(0), map[string]bool{}
	for _, series := range server.series {
		labels := map[string]string{}
		for _, l := range series.Labels {
			labels[l.Name] = l.Value
		}
		// test/programs/package.json has the name
		if labels["__name__"] != "process_cpu" || labels["service_name"] != packageName(t) {
			t.Fatalf("%v", labels)
		}
		for _, s := range series.Samples {
			p, err := profile.ParseData(s.RawProfile)
			if err != nil {
				t.Fatal(err)
			}
			for _, one := range p.Sample {
				sum += one.Value[0]
				for key := range one.Label {
					keys[key] = true
				}
				if len(one.NumLabel) > 0 {
					t.Fatalf("%v", one.NumLabel)
				}
			}
		}
	}
	if sum != int64(want) || !keys["trace_id"] || !keys["span_id"] || len(keys) > 3 {
		t.Errorf("%d samples of %d, with labels %v", sum, want, keys)
	}
}

func packageName(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../programs/package.json")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`"name": "([^"]+)"`).FindStringSubmatch(string(text))
	if m == nil || strings.TrimSpace(m[1]) == "" {
		t.Fatalf("no name in %s", text)
	}
	return m[1]
}
