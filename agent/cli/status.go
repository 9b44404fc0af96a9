package cli

import (
	"sync"
	"time"

	"github.com/hotspan/hotspan/agent"
	"github.com/hotspan/hotspan/agent/internal/export"
	"github.com/hotspan/hotspan/agent/internal/metrics"
)

// status is what the agent says of itself over HTTP.
type status struct {
	period     time.Duration
	delivering *delivering
	server     *metrics.Server

	mu   sync.Mutex
	last metrics.Values
}

// lateness is how much later than planned a snapshot may be cut before the agent counts as hung.
const lateness = 20 * time.Second

func (p *status) serve(address string) (err error) {
	p.server, err = metrics.Listen(address, p.values, p.period+lateness)
	return err
}

func (p *status) close() error { return p.server.Close() }

// cut notes the counts so far. It is called by the goroutine that samples.
func (p *status) cut(s agent.Stats, processes int) {
	lost := map[string]int64{}
	for reason, n := range s.Lost {
		lost[reason.String()] = n
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = metrics.Values{
		Cut: time.Now(), Taken: s.Taken, Written: s.Written, Lost: lost, JS: s.WithJS, Named: s.Named,
		Requests: s.Requests, Labelled: s.Labelled, Processes: processes,
	}
}

func (p *status) values() metrics.Values {
	p.mu.Lock()
	v := p.last
	p.mu.Unlock()
	v.Store, v.Destinations = p.delivering.from.Stats(), map[string]export.Stats{}
	for _, d := range p.delivering.outputs().destinations {
		v.Destinations[d.Name()] = d.Stats()
	}
	return v
}
