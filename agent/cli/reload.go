package cli

import (
	"log/slog"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/hotspan/hotspan/agent/internal/store"
)

// delivering is the outputs of a running agent. A reload replaces them, while sampling goes on.
type delivering struct {
	from *store.Store
	log  *slog.Logger

	mu  sync.Mutex
	now *outputs
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
	d.now = next
	return next.start(d.from, d.log)
}

// reread returns the outputs of the configuration as it is now, and whether other settings have changed.
type reread func() (next *outputs, others bool, err error)

// reloadOnSignal replaces the outputs at each SIGHUP, until the function that it returns is called.
func (d *delivering) reloadOnSignal(read reread) (end func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP)
	go func() {
		for range signals {
			d.reload(read)
		}
	}()
	return func() {
		signal.Stop(signals)
		close(signals)
	}
}

// reload puts the destinations of the configuration in place of those of the agent. Other settings count at the start
// only.
func (d *delivering) reload(read reread) {
	next, others, err := read()
	if err == nil {
		err = d.replace(next)
	}
	if err != nil {
		d.log.Error("the configuration is not read again: the agent goes on as before", "why", err)
		return
	}
	d.log.Info("the configuration is read again", "destinations", len(next.from))
	if others {
		d.log.Warn("only destinations are changed: other settings count when the agent starts again")
	}
}
