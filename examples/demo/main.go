// Command demo shows what hotspan does: it starts the Express service of examples/express, puts load on it, records
// it from outside for some seconds, and prints which routes, functions and traces used the processor.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

type options struct {
	node     string        // the Node executable that runs the service
	hotspan  string        // the hotspan executable
	service  string        // folder of the service
	out      string        // the profile to write
	duration time.Duration // of the recording
}

func main() {
	var o options
	flag.StringVar(&o.node, "node", "node", "the Node `executable` that runs the service")
	flag.StringVar(&o.hotspan, "hotspan", "bin/hotspan", "the hotspan `executable`")
	flag.StringVar(&o.service, "service", "examples/express", "`folder` of the service")
	flag.StringVar(&o.out, "o", "demo.pb.gz", "`file` for the profile")
	flag.DurationVar(&o.duration, "d", 10*time.Second, "how long to record")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	if err := check(&o); err != nil {
		return err
	}
	if err := record(ctx, o); err != nil {
		return err
	}
	r, err := readReport(o.out, o.service)
	if err != nil {
		return err
	}
	if r.total == 0 {
		return fmt.Errorf("%s has no CPU samples: was the service idle?", o.out)
	}
	newPrinter(os.Stdout).report(r, o.out)
	return nil
}

// check says in plain words what is missing, before anything is started. It makes the paths absolute, since the
// service runs in its own folder.
func check(o *options) error {
	for _, path := range []*string{&o.node, &o.hotspan, &o.service} {
		absolute, err := filepath.Abs(*path)
		if err != nil {
			return err
		}
		*path = absolute
	}
	if _, err := os.Stat(o.hotspan); err != nil {
		return fmt.Errorf("%s is not there: run make build first", o.hotspan)
	}
	if _, err := os.Stat(filepath.Join(o.service, "node_modules")); err != nil {
		return fmt.Errorf("the service's packages are not installed: run npm ci in %s", o.service)
	}
	if os.Geteuid() != 0 {
		return errors.New("sampling another process with BPF needs root: run sudo make demo")
	}
	return nil
}

// record runs the service and the load, and hotspan beside them, until the profile is written.
func record(ctx context.Context, o options) error {
	s, err := startService(ctx, o)
	if err != nil {
		return err
	}
	defer s.stop()
	const before, after = 2, 1 // seconds of load before and after the recording
	fmt.Printf("The service runs on %s. Recording it for %s under load, from outside …\n", s.url, o.duration)
	load, err := startLoad(ctx, o, s.url, before+int(o.duration.Seconds())+after)
	if err != nil {
		return err
	}
	defer load.stop()
	if err := sleep(ctx, before*time.Second); err != nil {
		return err
	}
	return runHotspan(ctx, o, s.pid())
}
