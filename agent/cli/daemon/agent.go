// Package daemon has the verb agent: it profiles all day, keeps snapshots in a store, delivers them, and serves them on
// a socket.
package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"time"

	"github.com/hotspan/hotspan/agent"
	"github.com/hotspan/hotspan/agent/cli/exit"
	"github.com/hotspan/hotspan/agent/cli/profiling"
	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/agent/internal/live"
	"github.com/hotspan/hotspan/agent/internal/metrics"
	"github.com/hotspan/hotspan/agent/internal/store"
	reqctx "github.com/hotspan/hotspan/context"
)

// Verb is the verb agent. Its flags are also in a file, and in variables of the environment.
type Verb struct {
	Config      string `help:"${config}" placeholder:"FILE"`
	CheckConfig bool   `help:"Check the configuration and the certificates, and end."`
	profiling.SelectionFlags
	limitFlags
	Rate   int           `short:"F" default:"99" help:"${rate} (${default})." placeholder:"HZ"`
	Period time.Duration `default:"10s" help:"Time that a snapshot covers (${default})." placeholder:"TIME"`
	profiling.RuleFlags
	Labels     string        `default:"trace,route,custom" help:"${labels} (${default})." placeholder:"KINDS"`
	To         destinations  `help:"${to}" placeholder:"URL,…"`
	Store      string        `default:"/var/lib/hotspan" help:"${store} (${default})." placeholder:"DIR"`
	StoreMIB   int           `name:"store-mib" default:"512" help:"${mib} (${default})." placeholder:"MIB"`
	StoreAge   time.Duration `default:"24h" help:"${age} (${default})." placeholder:"TIME"`
	HTTP       string        `name:"http" help:"${http}" placeholder:"HOST:PORT"`
	SourceMaps bool          `default:"true" negatable:"" help:"${maps}"`
	Cache      bool          `default:"true" negatable:"" help:"${cache}"`
	Verbose    bool          `short:"v" help:"Log more about the processes."`
	WithInput  bool          `help:"Exit when standard input is closed: with the process that started it."`
	socketFlags
}

// Run profiles until a signal comes, and then delivers what is left.
func (v *Verb) Run(again parsed, c terminal.Console) error {
	log := c.Logger(v.Verbose)
	config, err := v.config(log)
	if err != nil {
		return err
	}
	begin, err := v.outputs(log)
	if err != nil {
		return err
	}
	if v.CheckConfig {
		fmt.Fprintf(c, "the configuration is right: %d destinations\n", len(begin.receivers))
		return begin.close()
	}
	kept, err := v.openStore()
	if err != nil {
		return err
	}
	defer kept.Close()
	config.Sinks = []agent.Sink{&storeSink{Store: kept, log: log}}
	d := &delivering{from: kept, log: log, now: begin}
	defer d.end()
	if err := begin.take(kept, log); err != nil {
		return err
	}
	begin.start()
	closeServers, err := v.answer(&config, d, log)
	if err != nil {
		return err
	}
	defer closeServers()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	profiling.OutliveReaders()
	if v.WithInput {
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			stop()
		}()
	}
	signals, end := hangUps()
	defer end()
	config.Sampling = func() { notify("READY=1") }
	a, err := agent.New(config)
	if err != nil {
		return exit.Explain(err)
	}
	go (&reloading{a, d, log, func() (*settings, error) { return v.reread(again, log) }}).serve(signals)
	stats, err := a.Run(ctx)
	notify("STOPPING=1")
	if stats.End.IsZero() { // it has not begun
		return exit.Explain(err)
	}
	err = errors.Join(err, d.finish(deliverAtEnd))
	if lost := kept.WriteLeft(); lost > 0 {
		err = errors.Join(err, fmt.Errorf("%d snapshots are lost: the disk does not take them", lost))
	}
	closingAgent(c, &stats, kept, d.outputs())
	return err
}

// deliverAtEnd is how long the agent goes on to deliver after its end. What is left then waits in the store. Docker
// kills what has not ended after 10 s: the agent is to have said by then what is left.
const deliverAtEnd = 8 * time.Second

// parsed parses the command line once more, with the configuration as it is then.
type parsed func() (*Verb, error)

func (v *Verb) config(log *slog.Logger) (agent.Config, error) {
	config := agent.Config{
		Wait: true, Rate: v.Rate, SnapshotEvery: v.Period, FollowClock: true,
		NoSourceMaps: !v.SourceMaps, RaisePriority: true, Begun: profiling.Begun, Log: log,
	}
	if err := profiling.CheckRate(v.Rate); err != nil {
		return config, err
	}
	err := v.checkSizes()
	if err == nil {
		err = v.checkPlaces()
	}
	if err != nil {
		return config, exit.Usage(err)
	}
	if v.Cache {
		config.FileCache = profiling.FileCache()
	}
	if config.Select, err = v.Selection(); err != nil {
		return config, err
	}
	config.Select.All = !v.Given()
	if err := v.bound(&config); err != nil {
		return config, err
	}
	if config.Labels, err = reqctx.ParseKinds(v.Labels); err != nil {
		return config, exit.Usage(err)
	}
	config.Rules, err = v.LabelRules()
	return config, err
}

// checkSizes returns an error if a snapshot or the store is too small.
func (v *Verb) checkSizes() error {
	switch {
	case v.Period < 100*time.Millisecond:
		return fmt.Errorf("period %v: at least 100ms", v.Period)
	case v.StoreMIB < 1:
		return fmt.Errorf("store-mib %d: at least 1", v.StoreMIB)
	case v.StoreAge < 0:
		return fmt.Errorf("store-age %v: at least 0, which is for ever", v.StoreAge)
	}
	return nil
}

// checkPlaces returns an error if there can be no store, or nothing can be served, where the settings say.
func (v *Verb) checkPlaces() error {
	if !filepath.IsAbs(v.Store) {
		return fmt.Errorf("--store %s: not an absolute path", v.Store)
	}
	if v.HTTP != "" {
		if err := metrics.CheckAddress(v.HTTP); err != nil {
			return fmt.Errorf("--http: %w", err)
		}
	}
	return v.socketFlags.check()
}

// reread reads the settings again.
func (v *Verb) reread(again parsed, log *slog.Logger) (*settings, error) {
	next, err := again()
	if err != nil {
		return nil, err
	}
	s := &settings{limits: next.limits(), verbose: next.Verbose, startOnly: v.startOnly(next)}
	if s.config, err = next.config(log); err != nil {
		return nil, err
	}
	s.outputs, err = next.outputs(log)
	return s, err
}

// startOnly returns the names of settings that differ from next and that nothing changes while an agent runs.
func (v *Verb) startOnly(next *Verb) (names []string) {
	a, b := *v, *next
	for _, c := range []*Verb{&a, &b} {
		c.limitFlags = limitFlags{}
		c.SelectionFlags, c.RuleFlags, c.Labels, c.Rate, c.Period = profiling.SelectionFlags{}, profiling.RuleFlags{},
			"", 0, 0
		c.Config, c.To, c.SourceMaps, c.StoreMIB, c.StoreAge, c.Verbose = "", nil, false, 0, 0, false
	}
	before, after := reflect.ValueOf(a), reflect.ValueOf(b)
	for _, f := range reflect.VisibleFields(before.Type()) {
		if !f.Anonymous && !reflect.DeepEqual(before.FieldByIndex(f.Index).Interface(),
			after.FieldByIndex(f.Index).Interface()) {
			names = append(names, strings.ToLower(f.Name))
		}
	}
	return names
}

func (v *Verb) limits() store.Limits {
	return store.Limits{Bytes: int64(v.StoreMIB) << 20, Age: v.StoreAge}
}

// openStore opens the store, and says what to do where this user may not write there.
func (v *Verb) openStore() (*store.Store, error) {
	kept, err := store.Open(v.Store, v.limits())
	switch {
	case errors.Is(err, fs.ErrPermission):
		err = fmt.Errorf("%w: --store names another directory", err)
	case err != nil:
		err = fmt.Errorf("--store: %w", err)
	}
	return kept, err
}

// outputs opens the destinations: those of the flags, or the one of OpenTelemetry's environment variables.
func (v *Verb) outputs(log *slog.Logger) (*outputs, error) {
	all := v.To
	if len(all) == 0 {
		d, err := fromEnvironment()
		if err != nil {
			return nil, exit.Usage(err)
		}
		if d != nil {
			all = append(all, *d)
		}
	}
	return openOutputs(all, log)
}

// answer begins to answer requests over HTTP and on the socket. The function that it returns ends that.
func (v *Verb) answer(config *agent.Config, d *delivering, log *slog.Logger) (end func(), err error) {
	page := &statusPage{delivering: d}
	config.OnCut, config.Live = page.cut, live.NewFeed()
	if v.HTTP != "" {
		profiles, err := v.pull(config.Live)
		if err == nil {
			err = page.serve(v.HTTP, profiles)
		}
		if err != nil {
			return nil, err
		}
	}
	d.configure(*config)
	closeSocket, err := v.socketFlags.serve(config.Live, d, page, log)
	if err != nil {
		return nil, errors.Join(err, page.close())
	}
	return func() { _ = errors.Join(closeSocket(), page.close()) }, nil // nothing is under way that could fail
}

func closingAgent(c terminal.Console, s *agent.Stats, kept *store.Store, o *outputs) {
	fmt.Fprintf(c, "%d samples taken in %.1f s = %d written + %d lost%s\n",
		s.Taken, s.End.Sub(s.Start).Seconds(), s.Written, s.LostSum(), terminal.Counts(s.Lost))
	_, heldBack := profiling.HeldBack(s.TimerThrottled)
	fmt.Fprint(c, heldBack, profiling.Unsampled(s.Unsampled))
	for _, d := range o.destinations {
		n := d.Stats()
		fmt.Fprintf(c, "%s: %d samples of %d snapshots delivered%s\n", d.Name(), n.Samples, n.Snapshots,
			terminal.Counts(map[string]int64{
				"snapshots waiting": int64(n.Waiting), "samples refused": n.Dropped, "snapshots damaged": n.Damaged,
				"snapshots removed before": n.Evicted,
			}))
	}
	n := kept.Stats()
	fmt.Fprintf(c, "store: %d snapshots, %.1f MiB%s\n", n.Snapshots, float64(n.Bytes)/(1<<20),
		terminal.Counts(map[string]int64{
			"removed": n.Evicted, "not written": n.Unwritten, "lost since the disk was too slow": s.SnapshotsLost,
		}))
}
