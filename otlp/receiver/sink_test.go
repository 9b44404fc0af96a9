package receiver

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/consumer/xconsumer"
	"go.opentelemetry.io/collector/pdata/pprofile"

	"github.com/hotspan/hotspan/otlp"
	"github.com/hotspan/hotspan/pprofx"
)

// snapshot has so many samples, of two routes.
func snapshot(t *testing.T, samples int) *pprofx.Snapshot {
	t.Helper()
	b, err := pprofx.NewBuilder(1000, 10)
	if err != nil {
		t.Fatal(err)
	}
	for i := range samples {
		route := []string{"/a", "/b"}[i%2]
		b.Add(&pprofx.Sample{Time: int64(1000 + i), PID: 7, TID: 7, Stack: []*pprofx.Frame{{Function: "f"}},
			Labels: []pprofx.Label{{Key: "http.route", Str: route}}})
	}
	return b.Cut(int64(1000 + samples))
}

// pipeline takes profiles, unless answer refuses them.
type pipeline struct {
	answer func(try int) error
	tries  int
	taken  []pprofile.Profiles
}

func (p *pipeline) consume(_ context.Context, m pprofile.Profiles) error {
	if p.tries++; p.answer != nil {
		if err := p.answer(p.tries); err != nil {
			return err
		}
	}
	p.taken = append(p.taken, m)
	return nil
}

func newSink(t *testing.T, p *pipeline, c otlp.Config) *sink {
	t.Helper()
	next, err := xconsumer.NewProfiles(p.consume)
	if err != nil {
		t.Fatal(err)
	}
	return &sink{next: next, config: c, log: slog.New(slog.DiscardHandler)}
}

// samples counts those of messages, by the package's own reading of what pdata writes.
func samples(t *testing.T, all []pprofile.Profiles) (c otlp.Counts) {
	t.Helper()
	for _, m := range all {
		message, err := new(pprofile.ProtoMarshaler).MarshalProfiles(m)
		if err != nil {
			t.Fatal(err)
		}
		one, err := otlp.Count(message)
		if err != nil {
			t.Fatal(err)
		}
		c.Profiles, c.Samples = c.Profiles+one.Profiles, c.Samples+one.Samples
	}
	return c
}

// All samples are emitted, in several messages where one would be too large, and by route if that is configured.
func TestEmit(t *testing.T) {
	for name, c := range map[string]struct {
		config otlp.Config
		want   otlp.Counts
		many   bool
	}{
		"whole":     {otlp.Config{}, otlp.Counts{Profiles: 1, Samples: 400}, false},
		"per route": {otlp.Config{ProfilePer: "http.route"}, otlp.Counts{Profiles: 2, Samples: 400}, false},
		"split":     {otlp.Config{MaxMessage: 1500}, otlp.Counts{Profiles: 4, Samples: 400}, true},
	} {
		p := &pipeline{}
		s := newSink(t, p, c.config)
		if err := s.Write(t.Context(), snapshot(t, 400)); err != nil {
			t.Fatal(err)
		}
		if got := samples(t, p.taken); got != c.want || (len(p.taken) > 1) != c.many || s.emitted.Load() != 400 {
			t.Errorf("%s: %+v in %d messages", name, got, len(p.taken))
		}
		if err := s.Write(t.Context(), snapshot(t, 0)); err != nil || p.tries != len(p.taken) {
			t.Errorf("%s: a snapshot of nothing: %v, %d messages", name, err, len(p.taken))
		}
	}
}

// What the pipeline does not take now is offered again; what it refuses for good is counted.
func TestRefusals(t *testing.T) {
	p := &pipeline{answer: func(try int) error {
		if try < 3 {
			return errors.New("memory")
		}
		return nil
	}}
	s := newSink(t, p, otlp.Config{})
	if err := s.Write(t.Context(), snapshot(t, 10)); err != nil || len(p.taken) != 1 || s.emitted.Load() != 10 {
		t.Errorf("after two refusals: %v, %d emitted", err, s.emitted.Load())
	}

	p = &pipeline{answer: func(int) error { return consumererror.NewPermanent(errors.New("poison")) }}
	s = newSink(t, p, otlp.Config{})
	err := s.Write(t.Context(), snapshot(t, 10))
	if err == nil || !strings.Contains(err.Error(), "poison") || p.tries != 1 || s.refused.Load() != 10 {
		t.Errorf("for good: %v after %d tries, %d refused", err, p.tries, s.refused.Load())
	}

	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	p = &pipeline{answer: func(int) error { return errors.New("memory") }}
	s = newSink(t, p, otlp.Config{})
	if err := s.Write(ctx, snapshot(t, 10)); err == nil || s.refused.Load() != 10 {
		t.Errorf("at the end: %v, %d refused", err, s.refused.Load())
	}
}
