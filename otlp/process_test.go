package otlp

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/pprofile"

	"github.com/hotspan/hotspan/pprofx"
)

// With Config.ProfilePer each value of a label is a profile of its process, with all samples of that value and no
// others, however large a message may be.
func TestProfilePer(t *testing.T) {
	for seed := range uint64(5) {
		want := randomSnapshot(seed, 400)
		message := marshal(t, Profiles(want, agent))
		for _, limit := range []int{0, len(message) / 3} {
			s := serve(t, &server{})
			e := dial(t, "http://"+s.address, Config{Agent: agent, ProfilePer: "http.route", MaxMessage: limit})
			all, err := e.Split(message)
			for _, m := range all {
				err = errors.Join(err, e.WriteMessage(t.Context(), m))
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(flatten(want), decode(s.received...)); diff != "" ||
				(limit > 0) != (len(s.received) > 1) {
				t.Errorf("seed %d: %d messages: %s", seed, len(s.received), diff)
			}
			got := map[string]int{}
			for _, m := range s.received {
				if got := breaches(m); got != nil {
					t.Error(got)
				}
				countRoutes(t, m, got)
			}
			if diff := cmp.Diff(routes(want), got); diff != "" || len(got) < 5 {
				t.Errorf("seed %d: %s", seed, diff)
			}
		}
	}
}

// routes counts the samples of each process and route.
func routes(s *pprofx.Snapshot) map[string]int {
	counts := map[string]int{}
	for _, r := range s.Rows {
		value := ""
		for _, l := range s.LabelSets[r.Labels] {
			if l.Key == "http.route" {
				value = l.Str
			}
		}
		counts[fmt.Sprint(r.PID, value)]++
	}
	return counts
}

// countRoutes counts the samples of each process and route by the attributes of profiles, which must be those of the
// samples in them.
func countRoutes(t *testing.T, m pprofile.Profiles, counts map[string]int) {
	t.Helper()
	d := receiver{m.Dictionary()}
	for _, rp := range m.ResourceProfiles().All() {
		pid, _ := rp.Resource().Attributes().Get("process.pid")
		values := map[string]bool{}
		for _, p := range rp.ScopeProfiles().At(0).Profiles().All() {
			value := d.attributes(p.AttributeIndices())["http.route"]
			if values[value] {
				t.Errorf("two profiles of %q", value)
			}
			values[value] = true
			for _, s := range p.Samples().All() {
				if got := d.attributes(s.AttributeIndices())["http.route"]; got != value {
					t.Errorf("a sample of %q is in the profile of %q", got, value)
				}
				counts[fmt.Sprint(pid.Int(), value)] += s.TimestampsUnixNano().Len()
			}
		}
	}
}
