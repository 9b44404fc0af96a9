package profiling

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// EndSignals are the signals at which a recording ends and writes what it has: that of a terminal that is closed too,
// but not under nohup.
func EndSignals() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}

// sameWish is how long after the first signal others mean the same: npm and sudo pass on the Ctrl-C that the terminal
// has sent to hotspan, too.
const sameWish = time.Second

// UntilSignal returns a context that the first signal ends. A second one calls leave, which is to end hotspan at once.
// The caller calls stop.
func UntilSignal(leave func()) (ctx context.Context, stop func()) {
	ctx, end := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, EndSignals()...)
	go func() {
		var first time.Time
		for range signals {
			switch now := time.Now(); {
			case first.IsZero():
				first = now
				end()
			case now.Sub(first) > sameWish:
				leave()
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(signals)
		end()
	}
}

// OutliveReaders has hotspan go on where nobody reads its standard error any more, as after 2>&1 | head: a write to it
// fails, and does not end the process. A signal that is handled, not ignored, is as usual in a COMMAND.
// (go doc os/signal, SIGPIPE)
func OutliveReaders() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }
