package daemon

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/hotspan/hotspan/agent"
	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/agent/internal/store"
)

// delivering is the outputs of a running agent. A reload replaces them, while sampling goes on.
type delivering struct {
	from *store.Store
	log  *slog.Logger

	replacing sync.Mutex // held for as long as it takes to replace outputs, or to end the last
	ended     bool

	mu     sync.Mutex // never held while receivers work
	now    *outputs
	config agent.Config // that captures are like
}

func (d *delivering) configuration() agent.Config {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.config
}

func (d *delivering) configure(c agent.Config) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.config = c
}

func (d *delivering) outputs() *outputs {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.now
}

// replace ends the outputs and starts others, which have taken their places: those of the same name go on where they
// were.
func (d *delivering) replace(next *outputs) {
	d.replacing.Lock()
	defer d.replacing.Unlock()
	before := d.outputs()
	if d.ended {
		next.end()
		return
	}
	before.end()
	next.goOn(before)
	next.start()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.now = next
}

// end ends the outputs, which nothing replaces any more.
func (d *delivering) end() {
	d.replacing.Lock()
	defer d.replacing.Unlock()
	d.ended = true
	d.outputs().end()
}

// finish waits until the outputs have delivered all, at most so long. Nothing replaces them meanwhile.
func (d *delivering) finish(within time.Duration) error {
	d.replacing.Lock()
	defer d.replacing.Unlock()
	return d.outputs().finish(within)
}

// changer is an agent.Agent that runs.
type changer interface {
	Change(context.Context, agent.Config) error
}

// settings are those of a configuration that an agent goes on by.
type settings struct {
	config    agent.Config
	outputs   *outputs
	limits    store.Limits
	verbose   bool
	startOnly []string // names of those that have changed and count when an agent starts
}

// reloading reads the configuration of a running agent again.
type reloading struct {
	agent      changer
	delivering *delivering
	log        *slog.Logger
	read       func() (*settings, error)
}

// hangUps returns a channel that gets each SIGHUP, until end is called.
func hangUps() (signals chan os.Signal, end func()) {
	signals = make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP)
	return signals, func() {
		signal.Stop(signals)
		close(signals)
	}
}

// serve reloads at each signal.
func (r *reloading) serve(signals <-chan os.Signal) {
	for range signals {
		notify(reloadingState())
		r.reload()
		notify("READY=1")
	}
}

// reload puts the settings of the configuration in place of those that count. If one of them is wrong, all stays: what
// may be wrong is found out before anything changes.
func (r *reloading) reload() {
	err := r.change()
	if err != nil {
		r.log.Error("the configuration is not read again: the agent goes on as before", "why", err)
	}
}

// changeWithin is how long a change may take: the time in which the files of a few hundred processes can be read.
const changeWithin = 2 * time.Minute

func (r *reloading) change() error {
	next, err := r.read()
	if err != nil {
		return err
	}
	if err := next.outputs.take(r.delivering.from, r.log); err != nil {
		return errors.Join(err, next.outputs.close())
	}
	ctx, stop := context.WithTimeout(context.Background(), changeWithin)
	defer stop()
	partly := r.agent.Change(ctx, next.config)
	if partly != nil && !errors.Is(partly, agent.ErrPartly) {
		return errors.Join(partly, next.outputs.close())
	}
	r.delivering.configure(next.config)
	r.delivering.from.SetLimits(next.limits)
	terminal.SetVerbose(r.log, next.verbose)
	r.delivering.replace(next.outputs)
	r.log.Info("the configuration is read again", "destinations", len(next.outputs.from))
	if partly != nil {
		r.log.Error("a part of the configuration does not count: read it again, or restart the agent", "why", partly)
	}
	if len(next.startOnly) > 0 {
		r.log.Warn("some settings count when the agent starts again", "these", strings.Join(next.startOnly, " "))
	}
	return nil
}
