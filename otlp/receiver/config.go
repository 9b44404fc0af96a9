package receiver

import (
	"cmp"
	"fmt"
	"log/slog"
	"path"
	"regexp"
	"strings"
	"time"

	"go.opentelemetry.io/collector/component"

	"github.com/hotspan/hotspan/agent"
	reqctx "github.com/hotspan/hotspan/context"
)

// ErrorMode says what an error at the start does to the Collector, such as one for want of permissions.
type ErrorMode string

// The error modes, as OpenTelemetry's eBPF profiler has them.
const (
	Propagate ErrorMode = "propagate" // the Collector does not start
	Ignore    ErrorMode = "ignore"    // the error is logged, and the Collector runs without these profiles
)

// Config is the configuration of a receiver. The keys mean what those of hotspan agent do (docs/agent.md).
type Config struct {
	// Name is a regular expression for executables and command lines, CGroup lists control groups, Container beginnings
	// of container ids, Env conditions NAME or NAME=REGEX on the environment. A process that runs V8 is profiled if it
	// meets each that is given; without any all are.
	Name      string   `mapstructure:"name"`
	CGroup    []string `mapstructure:"cgroup"`
	Container []string `mapstructure:"container"`
	Env       []string `mapstructure:"env"`
	// Rate is how many samples a second are taken on each CPU.
	Rate int `mapstructure:"rate"`
	// Period is the time that a snapshot covers, at least 100 ms.
	Period time.Duration `mapstructure:"period"`
	// Labels are the kinds of label to read: trace, route, custom, or none.
	Labels []string `mapstructure:"labels"`
	// Label are rules for labels, NAME=PATH, and Rules files of them.
	Label []string `mapstructure:"label"`
	Rules []string `mapstructure:"rules"`
	// SourceMaps shows original files and lines, from source maps.
	SourceMaps bool `mapstructure:"source_maps"`
	// ProfilePer names a label of which each value gets a profile of its own; empty for one profile per process.
	ProfilePer string `mapstructure:"profile_per"`
	// ErrorMode says what an error at the start does.
	ErrorMode ErrorMode `mapstructure:"error_mode"`
}

func defaultConfig() component.Config {
	return &Config{
		Rate: 99, Period: 10 * time.Second, Labels: []string{"trace", "route", "custom"}, SourceMaps: true,
		ErrorMode: Propagate,
	}
}

// Validate implements xconfmap.Validator.
func (c *Config) Validate() error {
	if c.ErrorMode != Propagate && c.ErrorMode != Ignore {
		return fmt.Errorf("error_mode %q: %s or %s", c.ErrorMode, Propagate, Ignore)
	}
	_, err := c.agent(slog.New(slog.DiscardHandler))
	return err
}

// agent returns the configuration of the agent, without sinks.
func (c *Config) agent(log *slog.Logger) (a agent.Config, err error) {
	a = agent.Config{
		Wait: true, Rate: c.Rate, SnapshotEvery: c.Period, FollowClock: true, NoSourceMaps: !c.SourceMaps, Log: log,
	}
	if limit := agent.MaxRate(); c.Rate < 1 || c.Rate > cmp.Or(limit, c.Rate) {
		return a, fmt.Errorf("rate %d: from 1 to %d (kernel.perf_event_max_sample_rate)", c.Rate, limit)
	}
	if c.Period < 100*time.Millisecond {
		return a, fmt.Errorf("period %v: at least 100ms", c.Period)
	}
	if a.Select, err = c.selection(); err != nil {
		return a, err
	}
	if a.Labels, err = reqctx.ParseKinds(strings.Join(c.Labels, ",")); err != nil {
		return a, fmt.Errorf("labels: %w", err)
	}
	for _, file := range c.Rules {
		rules, err := reqctx.ReadRules(file)
		if err != nil {
			return a, fmt.Errorf("rules: %w", err)
		}
		a.Rules = append(a.Rules, rules...)
	}
	for _, text := range c.Label {
		rule, err := reqctx.ParseRule(text)
		if err != nil {
			return a, fmt.Errorf("label: %w", err)
		}
		a.Rules = append(a.Rules, rule)
	}
	return a, nil
}

func (c *Config) selection() (s agent.Selection, err error) {
	s = agent.Selection{ControlGroups: c.CGroup, Containers: c.Container}
	if c.Name != "" {
		if s.Name, err = regexp.Compile(c.Name); err != nil {
			return s, fmt.Errorf("name: %w", err)
		}
	}
	for _, group := range c.CGroup {
		if _, err := path.Match(group, ""); err != nil || strings.Trim(group, "/") == "" {
			return s, fmt.Errorf("cgroup %q: want a path, or the end of one, such as docker-*.scope", group)
		}
	}
	for _, condition := range c.Env {
		name, value, has := strings.Cut(condition, "=")
		v := agent.Variable{Name: name}
		if has {
			if _, err := regexp.Compile(value); err != nil {
				return s, fmt.Errorf("env %s: %w", name, err)
			}
			v.Value = regexp.MustCompile(`\A(?:` + value + `)\z`)
		}
		if name == "" {
			return s, fmt.Errorf("env %q: want NAME or NAME=REGEX", condition)
		}
		s.Environment = append(s.Environment, v)
	}
	s.All = c.Name == "" && len(c.CGroup)+len(c.Container)+len(c.Env) == 0
	return s, nil
}
