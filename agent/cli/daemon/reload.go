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

	mu     sync.Mutex
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

// replace ends the outputs and starts others: those of the same name go on where they were.
func (d *delivering) replace(next *outputs) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.now.end()
	before := d.now
	d.now = next
	err := next.start(d.from, d.log)
	next.countOn(before)
	return err
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

// reload puts the settings of the configuration in place of those that count. If one of them is wrong, all stays.
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
	ctx, stop := context.WithTimeout(context.Background(), changeWithin)
	defer stop()
	if err := r.agent.Change(ctx, next.config); err != nil {
		return errors.Join(err, next.outputs.close())
	}
	r.delivering.configure(next.config)
	r.delivering.from.SetLimits(next.limits)
	terminal.SetVerbose(r.log, next.verbose)
	if err := r.delivering.replace(next.outputs); err != nil {
		return err
	}
	r.log.Info("the configuration is read again", "destinations", len(next.outputs.from))
	if len(next.startOnly) > 0 {
		r.log.Warn("some settings count when the agent starts again", "these", strings.Join(next.startOnly, " "))
	}
	return nil
}
