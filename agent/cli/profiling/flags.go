// Package profiling says what is profiled, and how: by flags, among them those that select processes and give rules for
// labels, or as a command that hotspan starts. Signals end it.
package profiling

import (
	"cmp"
	"math/bits"
	"os"
	"path/filepath"
	"time"

	"github.com/hotspan/hotspan/agent"
	"github.com/hotspan/hotspan/agent/cli/exit"
	"github.com/hotspan/hotspan/agent/cli/terminal"
	reqctx "github.com/hotspan/hotspan/context"
)

// Flags say which processes are profiled, and how.
type Flags struct {
	PID []int `short:"p" help:"Process to profile; may be repeated." placeholder:"PID"`
	SelectionFlags
	All  bool `short:"a" help:"${all}"`
	Rate *int `short:"F" help:"${rate} (99)." placeholder:"HZ"`
	RuleFlags
	Labels     string `default:"trace,route,custom" help:"${labels} (${default})." placeholder:"KINDS"`
	SourceMaps bool   `default:"true" negatable:"" help:"${maps}"`
	Cache      bool   `default:"true" negatable:"" help:"${cache}"`
	RingBuffer *int   `help:"${ring}." placeholder:"MIB"`
	Verbose    bool   `short:"v" help:"Log more about the processes."`
}

// Begun is when the program began, but for the milliseconds in which the Go runtime starts and packages initialise.
var Begun = time.Now()

// Selects reports whether the flags select processes.
func (f *Flags) Selects() bool { return len(f.PID) > 0 || f.SelectsLater() }

// SelectsLater reports whether they select processes that start later, too.
func (f *Flags) SelectsLater() bool { return f.Given() || f.All }

// Rates of the timer, in samples a second: without the flag, and at most. A slip of the finger, 100 times the rate that
// was meant, would take all of each CPU.
const defaultRate, mostRate = 99, 10_000

// SampleRate is that of the timer.
func (f *Flags) SampleRate() int { return *cmp.Or(f.Rate, new(defaultRate)) }

// Check returns an error if a flag has a value that it may not have.
func (f *Flags) Check() error {
	if err := CheckRate(f.SampleRate()); err != nil {
		return err
	}
	ring := *cmp.Or(f.RingBuffer, new(1))
	if ring < 1 || ring > 1024 || bits.OnesCount(uint(ring)) != 1 {
		return exit.Usagef("--ring-buffer %d: a power of two from 1 to 1024", ring)
	}
	return nil
}

// CheckRate returns an error, of wrong usage, if a timer may not have a rate, in hertz.
func CheckRate(rate int) error {
	switch limit := agent.MaxRate(); {
	case rate < 1:
		return exit.Usagef("rate %d: at least 1 sample a second", rate)
	case limit > 0 && rate > limit:
		return exit.Usagef("rate %d: this kernel allows at most %d (kernel.perf_event_max_sample_rate)", rate, limit)
	case rate > mostRate:
		return exit.Usagef("rate %d: at most %d, which already takes a tenth or more of each busy CPU", rate, mostRate)
	}
	return nil
}

// Config returns the configuration that the flags give; its log is printed on c.
func (f *Flags) Config(c terminal.Console) (agent.Config, error) {
	config := agent.Config{
		Rate: f.SampleRate(), NoSourceMaps: !f.SourceMaps, RaisePriority: true, Begun: Begun, Log: c.Logger(f.Verbose),
	}
	if f.Cache {
		config.FileCache = FileCache()
	}
	if f.RingBuffer != nil {
		config.RingBytes = *f.RingBuffer << 20
	}
	var err error
	if config.Select, err = f.Selection(); err != nil {
		return config, err
	}
	config.Select.PIDs, config.Select.All = f.PID, f.All
	if config.Labels, err = reqctx.ParseKinds(f.Labels); err != nil {
		return config, exit.Usage(err)
	}
	config.Rules, err = f.LabelRules()
	return config, err
}

// FileCache is the directory for what is parsed of executable files; empty if this user has none.
func FileCache() string {
	dir, err := os.UserCacheDir() // fails without $HOME and $XDG_CACHE_HOME, as in a service of systemd
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "hotspan", "files")
}
