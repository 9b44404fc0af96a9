// Command hotspan-web shows a profile in a browser: hotspan's own page, and the web interface of google/pprof. The verb
// web of hotspan writes both files and executes it. It is a command of its own because pprof's interface takes as much
// as a fifth of what hotspan may have.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "hotspan-web PORT PROFILE.pb.gz PAGE.html: hotspan web FILE calls it")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	if err := show(ctx, os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintf(os.Stderr, "hotspan: %v\n", err)
		os.Exit(1)
	}
}

// show serves a profile and a page until the context ends. It opens both before it gives up the rights of root.
func show(ctx context.Context, port, profile, page string) error {
	p, err := readProfile(profile)
	if err != nil {
		return err
	}
	html, err := os.Open(page)
	if err != nil {
		return err
	}
	defer html.Close()
	source, err := giveUpRoot()
	if err != nil {
		return fmt.Errorf("give up the rights of root: %w", err)
	}
	if name := endless(p); source && name != "" {
		fmt.Fprintf(os.Stderr, "hotspan: no source files are shown: %q is no file of at most 64 MiB\n", name)
		source = false
	}
	s, err := listen(port)
	if err != nil {
		return err
	}
	return s.serve(ctx, p, html, source)
}
