package receiver

import (
	"context"
	"log/slog"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"

	"github.com/hotspan/hotspan/agent"
)

// profiler is the receiver: an agent whose sink is the pipeline.
type profiler struct {
	config *Config
	log    *slog.Logger
	to     *sink

	stop  context.CancelFunc // nil where there is no agent
	ended chan struct{}
}

// Start implements component.Component: it returns when sampling has begun.
func (p *profiler) Start(ctx context.Context, host component.Host) error {
	err := p.start(ctx, host)
	if err != nil && p.config.ErrorMode == Ignore {
		p.log.Error("no profiles: hotspan did not start", "why", err)
		return nil
	}
	return err
}

func (p *profiler) start(ctx context.Context, host component.Host) error {
	config, err := p.config.agent(p.log)
	if err != nil {
		return err
	}
	sampling := make(chan struct{})
	config.Sinks = []agent.Sink{p.to}
	config.Sampling = func() { close(sampling) }
	a, err := agent.New(config)
	if err != nil {
		return err
	}
	running, stop := context.WithCancel(context.Background()) // that of Start ends with Start
	failed := make(chan error, 1)
	p.stop, p.ended = stop, make(chan struct{})
	go p.run(running, a, host, failed)
	select {
	case <-sampling:
		return nil
	case err := <-failed:
		return err
	case <-ctx.Done():
		stop()
		return ctx.Err()
	}
}

// run samples until ctx ends, and says what became of all samples.
func (p *profiler) run(ctx context.Context, a *agent.Agent, host component.Host, failed chan<- error) {
	defer close(p.ended)
	stats, err := a.Run(ctx)
	p.log.Info("profiling ended", "taken", stats.Taken, "written", stats.Written, "lost", stats.LostSum(),
		"emitted", p.to.emitted.Load(), "refused", p.to.refused.Load(), "snapshotsLost", stats.SnapshotsLost)
	if err != nil {
		failed <- err
		if ctx.Err() == nil {
			componentstatus.ReportStatus(host, componentstatus.NewPermanentErrorEvent(err))
		}
	}
}

// Shutdown implements component.Component: it waits until the last snapshot is emitted, or ctx ends.
func (p *profiler) Shutdown(ctx context.Context) error {
	if p.stop == nil {
		return nil
	}
	p.stop()
	select {
	case <-p.ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
