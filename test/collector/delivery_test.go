package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/pprofile"

	"github.com/hotspan/hotspan/otlp"
	"github.com/hotspan/hotspan/pprofx"
)

// What a Collector writes down of hotspan's snapshots is, sample for sample, what pprof files of them say.
func TestCollectorHasWhatPprofHas(t *testing.T) {
	c := start(t, "profiles")
	snapshots := recording(3, 4000)
	exporter, err := otlp.Dial(c.endpoint, otlp.Config{Agent: otlp.Agent{Version: "0.1"}})
	if err != nil {
		t.Fatal(err)
	}
	defer exporter.Close()
	for _, s := range snapshots {
		if err := exporter.Write(c.running, s); err != nil {
			t.Fatal(err)
		}
	}
	messages := c.stop(t)
	if len(messages) != len(snapshots) {
		t.Fatalf("%d messages of %d snapshots", len(messages), len(snapshots))
	}
	for i, s := range snapshots {
		if diff := cmp.Diff(fromPprof(t, s), fromOTLP(messages[i:i+1])); diff != "" {
			t.Errorf("snapshot %d: (-pprof +otlp) %s", i, diff)
		}
		checkHeader(t, s, messages[i])
	}
}

// A Collector reads each protocol and each compression.
func TestProtocols(t *testing.T) {
	c := start(t, "profiles")
	snapshot := recording(1, 1000)[0]
	sent := 0
	for protocol, endpoint := range map[otlp.Protocol]string{otlp.GRPC: c.endpoint, otlp.HTTP: c.http} {
		for _, compression := range []otlp.Compression{otlp.Gzip, otlp.Zstd, otlp.Uncompressed} {
			exporter, err := otlp.Dial(endpoint, otlp.Config{Protocol: protocol, Compression: compression})
			if err == nil {
				err = exporter.Write(c.running, snapshot)
			}
			if err != nil {
				t.Fatalf("%s, %s: %v", protocol, compression, err)
			}
			exporter.Close()
			sent++
		}
	}
	messages := c.stop(t)
	if len(messages) != sent {
		t.Fatalf("%d messages of %d", len(messages), sent)
	}
	for i := range messages {
		if diff := cmp.Diff(fromPprof(t, snapshot), fromOTLP(messages[i:i+1])); diff != "" {
			t.Errorf("message %d: (-pprof +otlp) %s", i, diff)
		}
	}
}

func checkHeader(t *testing.T, s *pprofx.Snapshot, m pprofile.Profiles) {
	t.Helper()
	want := map[int64]map[string]any{
		10: {"process.pid": int64(10), "service.name": "shop", "container.id": "c0ffee",
			"process.executable.path": "/usr/bin/node", "process.executable.name": "node"},
		11: {"process.pid": int64(11),
			"process.executable.path": "/opt/app/worker", "process.executable.name": "worker"},
	}
	got := map[int64]map[string]any{}
	samples := 0
	for _, rp := range m.ResourceProfiles().All() {
		attrs := rp.Resource().Attributes().AsRaw()
		got[attrs["process.pid"].(int64)] = attrs
		p := rp.ScopeProfiles().At(0).Profiles().At(0)
		lost := dictionary{m.Dictionary()}.attributes(p.AttributeIndices())["hotspan.lost.ring buffer full"]
		if int64(p.Time()) != s.Start || int64(p.DurationNano()) != s.End-s.Start ||
			p.Period() != s.Period || lost == "" {
			t.Errorf("time %d, duration %d, period %d, lost %q", p.Time(), p.DurationNano(), p.Period(), lost)
		}
		for _, sample := range p.Samples().All() {
			samples += sample.TimestampsUnixNano().Len()
		}
	}
	if diff := cmp.Diff(want, got); diff != "" || samples != len(s.Rows) {
		t.Errorf("%d samples of %d rows; %s", samples, len(s.Rows), diff)
	}
}

// The error of a Collector that takes other signals says what it lacks.
func TestCollectorThatTakesNoProfiles(t *testing.T) {
	c := start(t, "traces")
	exporter, err := otlp.Dial(c.endpoint, otlp.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer exporter.Close()
	err = exporter.Write(c.running, recording(1, 1)[0])
	if err == nil || !strings.Contains(err.Error(), "a profiles pipeline") ||
		!strings.Contains(err.Error(), c.endpoint) {
		t.Error(err)
	}
}
