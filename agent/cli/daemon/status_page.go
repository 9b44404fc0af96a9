package daemon

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/hotspan/hotspan/agent"
	"github.com/hotspan/hotspan/agent/api"
	"github.com/hotspan/hotspan/agent/internal/export"
	"github.com/hotspan/hotspan/agent/internal/metrics"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/agent/internal/serve"
	"github.com/hotspan/hotspan/agent/internal/version"
	"github.com/hotspan/hotspan/pprofx"
)

// statusPage is what the agent says of itself over HTTP.
type statusPage struct {
	delivering *delivering
	server     *metrics.Server // nil: not over HTTP

	mu     sync.Mutex
	socket *serve.Server // nil: there is none
	start  time.Time     // of sampling
	last   metrics.Values
}

// lateness is how much later than planned a snapshot may be cut before the agent counts as hung.
const lateness = 20 * time.Second

// serve begins to answer over HTTP. profiles, if it is not nil, answers scrapers.
func (p *statusPage) serve(address string, profiles http.Handler) (err error) {
	if p.server, err = metrics.Listen(address, p.values, profiles, p.delivering.log); err != nil {
		return fmt.Errorf("--http: %w", err)
	}
	return nil
}

func (p *statusPage) close() error {
	if p.server == nil {
		return nil
	}
	return p.server.Close()
}

// timerLosses are why samples of the timer are lost. Each has a count from the beginning: who reads the metrics sees
// the first loss only as a rise.
var timerLosses = []pprofx.LostReason{
	pprofx.LostLate, pprofx.LostFull, pprofx.LostRingFull, pprofx.LostMalformed, pprofx.LostExited,
}

// cut notes the counts so far. It is called by the goroutine that samples.
func (p *statusPage) cut(s agent.Stats, processes int) {
	lost := map[string]int64{}
	for _, reason := range timerLosses {
		lost[reason.String()] = 0
	}
	for reason, n := range s.Lost {
		lost[reason.String()] = n
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.start = s.Start
	p.last = metrics.Values{
		Cut: time.Now(), Hung: s.SnapshotEvery + lateness, Rate: s.Rate,
		CPU: s.CPU, Memory: s.Memory, MapBytes: s.MapBytes, Saving: s.Saving,
		Taken: s.Taken, Written: s.Written, Lost: lost, SnapshotsLost: s.SnapshotsLost, HeldBack: s.TimerThrottled,
		Unsampled: s.Unsampled, JS: s.WithJS, Named: s.Named,
		Requests: s.Requests, Labelled: s.Labelled, Processes: processes, Executables: s.Executables,
	}
}

// servesOn notes what answers on the socket.
func (p *statusPage) servesOn(s *serve.Server) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.socket = s
}

func (p *statusPage) values() metrics.Values {
	p.mu.Lock()
	v, socket := p.last, p.socket
	p.mu.Unlock()
	if socket != nil {
		v.SessionMaps.Running, v.SessionMaps.Ended = socket.SessionMaps()
	}
	v.CaptureMaps = sampler.MapBytesBeside()
	v.Store, v.Destinations = p.delivering.from.Stats(), map[string]export.Stats{}
	for _, d := range p.delivering.outputs().destinations {
		v.Destinations[d.Name()] = d.Stats()
	}
	return v
}

// message is what the agent says of itself on its socket.
func (p *statusPage) message() *api.StatusResponse {
	v := p.values()
	out := &api.StatusResponse{
		Version: version.Get().String(), Started: p.started(), Rate: uint32(v.Rate),
		Taken: uint64(v.Taken), Written: uint64(v.Written), Lost: map[string]uint64{}, Processes: uint32(v.Processes),
		Removed: uint64(v.Store.Evicted), Unwritten: uint64(v.Store.Unwritten), TooSlow: uint64(v.SnapshotsLost),
	}
	for reason, n := range v.Lost {
		out.Lost[reason] = uint64(n)
	}
	for _, name := range slices.Sorted(maps.Keys(v.Destinations)) {
		d := v.Destinations[name]
		out.Destinations = append(out.Destinations, &api.Destination{
			Name: name, Snapshots: uint64(d.Snapshots), Samples: uint64(d.Samples), Waiting: uint64(d.Waiting),
			Refused: uint64(d.Dropped), Damaged: uint64(d.Damaged), Removed: uint64(d.Evicted),
			Failing: !d.Since.IsZero(), Why: d.Why, Since: unixNano(d.Since),
		})
	}
	return out
}

// started returns when sampling began, Unix time in nanoseconds; 0: it has not.
func (p *statusPage) started() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return unixNano(p.start)
}

// unixNano is a time as the socket has it; 0: it is zero.
func unixNano(t time.Time) uint64 {
	if t.IsZero() {
		return 0
	}
	return uint64(t.UnixNano())
}
