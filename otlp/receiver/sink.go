package receiver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/consumer/xconsumer"
	"go.opentelemetry.io/collector/pdata/pprofile"

	"github.com/hotspan/hotspan/otlp"
	"github.com/hotspan/hotspan/pprofx"
)

// sink passes snapshots to the next component of the pipeline. It is an agent.Sink: the agent keeps up to 64 snapshots
// while it is busy.
type sink struct {
	next   xconsumer.Profiles
	config otlp.Config
	log    *slog.Logger

	emitted, refused atomic.Int64 // samples
}

// messages says how snapshots become messages: of less than 4 MiB, so that an exporter need not split them.
func messages(c *Config) otlp.Config {
	return otlp.Config{Agent: otlp.Agent{Version: version()}, ProfilePer: c.ProfilePer}
}

// version returns that of hotspan in the Collector's program.
func version() string {
	const module = "github.com/hotspan/hotspan"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == module {
				return m.Version
			}
		}
	}
	return ""
}

// Name implements agent.Sink.
func (s *sink) Name() string { return "the pipeline" }

// Write implements agent.Sink. A snapshot without samples and losses is not emitted.
func (s *sink) Write(ctx context.Context, snapshot *pprofx.Snapshot) error {
	if len(snapshot.Rows) == 0 && len(snapshot.Lost) == 0 {
		return nil
	}
	all, err := otlp.Messages(snapshot, s.config)
	if err != nil {
		return err
	}
	var errs []error
	for i, message := range all {
		counts, err := otlp.Count(message)
		if err == nil {
			err = s.emit(ctx, message)
		}
		if err == nil {
			s.emitted.Add(counts.Samples)
			continue
		}
		s.refused.Add(counts.Samples)
		errs = append(errs, fmt.Errorf("message %d of %d, with %d samples: %w", i+1, len(all), counts.Samples, err))
	}
	return errors.Join(errs...)
}

// How long a message is offered again to a pipeline that does not take it now, and how often.
const (
	giveUp    = time.Minute
	firstWait = 100 * time.Millisecond
	maxWait   = 5 * time.Second
)

// emit passes on a message. After an error that is not permanent, such as that of a memory limiter, it tries again.
func (s *sink) emit(ctx context.Context, message []byte) error {
	ctx, cancel := context.WithTimeout(ctx, giveUp)
	defer cancel()
	for wait := firstWait; ; wait = min(2*wait, maxWait) {
		profiles, err := new(pprofile.ProtoUnmarshaler).UnmarshalProfiles(message) // the pipeline owns what it gets
		if err != nil {
			return err
		}
		err = s.next.ConsumeProfiles(ctx, profiles)
		if err == nil || consumererror.IsPermanent(err) {
			return err
		}
		s.log.Debug("the pipeline does not take profiles now", "why", err)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return err
		}
	}
}
