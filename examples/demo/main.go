// Command demo shows what hotspan does: it starts the Express service of examples/express, puts load on it, records it
// from outside for some seconds, and has hotspan print which routes, functions and traces used the CPU.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func main() {
	var o options
	flag.StringVar(&o.node, "node", "node", "the Node `executable` that runs the service")
	flag.StringVar(&o.hotspan, "hotspan", "bin/hotspan", "the hotspan `executable`")
	flag.StringVar(&o.service, "service", "examples/express", "`folder` of the service")
	flag.StringVar(&o.out, "o", "demo.otlp", "`file` for the recording")
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
	fmt.Println()
	if err := runHotspan(ctx, o, "report", o.out); err != nil {
		return err
	}
	pprof := strings.TrimSuffix(o.out, ".otlp") + ".pb.gz"
	if err := runHotspan(ctx, o, "convert", o.out, pprof); err != nil {
		return err
	}
	fmt.Printf(`
Look further: the recording is %[1]s, and %[2]s for pprof.
  bin/hotspan report --route /search %[1]s
  bin/hotspan report -o %[3]s %[1]s, and open that in a browser
  go tool pprof -top -tagfocus http.route=/search %[2]s
  go tool pprof -http 127.0.0.1:8080 -tagroot http.route %[2]s
`, o.out, pprof, strings.TrimSuffix(o.out, ".otlp")+".html")
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
	return runHotspan(ctx, o, "record", "-p", strconv.Itoa(s.pid()), "-d", o.duration.String(), "-o", o.out)
}
