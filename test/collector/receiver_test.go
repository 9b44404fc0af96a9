package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pprofile"

	"github.com/hotspan/hotspan/otlp"
	"github.com/hotspan/hotspan/pprofx/jsonl"
	"github.com/hotspan/hotspan/test/truth"
	"github.com/hotspan/hotspan/test/truth/judge"
)

// receiverConfig has a regular expression, the rules for labels and the file to fill in.
const receiverConfig = `
receivers:
  hotspan:
    name: %q
    rate: 199
    period: 200ms
    label: [%s]
exporters:
  file:
    path: %s
service:
  pipelines:
    profiles:
      receivers: [hotspan]
      exporters: [file]
`

// TestReceiver: a Collector with hotspan in it writes all samples that hotspan takes of a service, and their labels are
// what the service was doing.
func TestReceiver(t *testing.T) {
	dir := t.TempDir()
	logged := filepath.Join(dir, "truth")
	service := startRequests(t, logged, "DURATION_MS=6000")
	c := newCollector(t)
	rules := "'" + strings.Join(judge.StoreRules, "', '") + "'"
	c.startConfigured(t, fmt.Sprintf(receiverConfig, regexp.QuoteMeta(logged), rules, c.file))
	service.Wait() // it writes down what it did at its end
	time.Sleep(300 * time.Millisecond)
	messages := c.stop(t)

	log, err := os.ReadFile(c.log)
	if err != nil {
		t.Fatal(err)
	}
	var taken, written, lost, emitted, refused int64
	said := regexp.MustCompile(`"taken":.*`).FindString(string(log))
	if _, err := fmt.Sscanf(said, `"taken":%d,"written":%d,"lost":%d,"emitted":%d,"refused":%d,`,
		&taken, &written, &lost, &emitted, &refused); err != nil {
		t.Fatalf("%v: %q", err, said)
	}
	samples := judged(t, messages)
	if int64(len(samples)) != written || taken != written+lost || emitted != written || refused != 0 || taken < 300 {
		t.Errorf("%d samples are written by the Collector; %s", len(samples), said)
	}
	did, err := truth.ReadFile(logged)
	if err != nil {
		t.Fatal(err)
	}
	got := judge.CompareLabels(samples, did, judge.RequestLabels)
	t.Logf("%s; right labels: %s", said, got.Right)
	if got.Wrong > 0 || got.Outside > 0 || got.Right.Percent() < 95 || got.Right.Whole < 200 {
		t.Errorf("labels: %+v", got)
	}
}

// judged returns the samples of messages.
func judged(t *testing.T, messages []pprofile.Profiles) (all []judge.Sample) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "samples.jsonl")
	for _, m := range messages {
		message, err := new(pprofile.ProtoMarshaler).MarshalProfiles(m)
		if err != nil {
			t.Fatal(err)
		}
		s, err := otlp.Decode(message)
		if err != nil {
			t.Fatal(err)
		}
		out, err := os.Create(file)
		if err == nil {
			err = jsonl.Write(out, s)
		}
		if err != nil {
			t.Fatal(err)
		}
		out.Close()
		part, err := judge.ReadSamples(file)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, part...)
	}
	return all
}
