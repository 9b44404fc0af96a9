package serve

import (
	"maps"
	"os"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/hotspan/hotspan/agent/api"
)

// FuzzRequest: whatever an ordinary process asks for on the socket, it gets what is of itself, at a rate that is its
// own to choose.
func FuzzRequest(f *testing.F) {
	who := caller{uid: 1, pid: os.Getpid(), born: 1}
	own := &api.Process{Pid: int32(who.pid)}
	for _, r := range []*api.CaptureRequest{
		{Rate: 99, Rules: []string{"a=b"}, Process: own}, {Rate: maxRateOwn + 1, Duration: 1 << 63},
		{Process: &api.Process{Pid: 1}}, {Process: &api.Process{Pid: -1, Started: 7}},
		{Rules: make([]string, maxRules+1)},
	} {
		b, err := proto.Marshal(r)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	for _, a := range []*api.Filter{
		{Processes: []*api.Process{own}, Services: []string{"a"}}, {AllowLabels: make([]string, maxConditions+1)},
		{Labels: []*api.LabelFilter{{Name: "a", Values: []string{"b"}}}},
	} {
		b, err := proto.Marshal(a)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		onlyOwn := func(of *filter) {
			if pids := slices.Collect(maps.Keys(of.samples.Since)); !slices.Equal(pids, []int{who.pid}) ||
				of.samples.Since[who.pid] != who.born || !of.noAddresses || of.keepsAll() {
				t.Errorf("%+v", of)
			}
		}
		var ask api.Filter
		if proto.Unmarshal(b, &ask) == nil {
			if of, err := newFilter(who, &ask); err == nil {
				onlyOwn(of)
			}
		}
		var r api.CaptureRequest
		if proto.Unmarshal(b, &r) != nil {
			return
		}
		if d := captureTime(&r); d <= 0 || d > maxCaptureTime {
			t.Errorf("%v", d)
		}
		if of, filter, err := newCapture(who, &r); err == nil {
			onlyOwn(filter)
			if of.PID != who.pid || of.Rate < 1 || of.Rate > maxRateOwn || len(of.Rules) > maxRules {
				t.Errorf("%+v", of)
			}
		}
	})
}
