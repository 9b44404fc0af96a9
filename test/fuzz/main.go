// Command fuzz runs each fuzz function of the module for a while, one at a time, those first that have run least. It
// goes on where its results end.
//
//	go run ./test/fuzz -time 1m -for 25m -run 'agent/internal/elffile|pprofx/pprof.FuzzRead'
//
// The results are in results.jsonl, a line for each run; figures of docs/safety.md are made of them. Of the inputs that
// a run found, those that reach code which no committed one reaches go into testdata/fuzz of the package, so that each
// go test tries them.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"sync"
	"syscall"
	"time"

	"github.com/hotspan/hotspan/test/results"
)

// maxMemory is how much address space a program may have, in bytes: what asks for more, by a length that an input
// tells, fails. Compilers and the linker need less.
const maxMemory = 6 << 30

func main() {
	var o options
	flag.DurationVar(&o.time, "time", 30*time.Second, "how long each function runs")
	flag.DurationVar(&o.limit, "for", 25*time.Minute, "begin no function after this `time`")
	flag.StringVar(&o.only, "run", ".", "only functions for which this `regexp` matches path and name, as in "+
		"context.FuzzParseRule")
	flag.StringVar(&o.by, "draw", "", "functions that a `text`, such as a commit's hash, draws")
	flag.IntVar(&o.most, "most", 0, "how many functions to draw; 0 is all")
	flag.BoolVar(&o.check, "check", false, "run each function once, and write neither results nor inputs")
	write := flag.Bool("write", false, "only write the figures of the document anew")
	flag.Parse()
	do := o.run
	if *write {
		do = writeDocument
	}
	if err := do(); err != nil {
		fmt.Fprintln(os.Stderr, "fuzz:", err)
		os.Exit(1)
	}
}

type options struct {
	time, limit time.Duration
	only, by    string
	most        int
	check       bool
}

func (o options) run() error {
	end := time.Now().Add(o.limit)
	only, err := regexp.Compile(o.only)
	if err != nil {
		return err
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: maxMemory, Max: maxMemory}); err != nil {
		return err
	}
	functions, err := list(only)
	if err != nil {
		return err
	}
	b, err := newBuilds()
	if err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	if o.check {
		return b.check(some(functions, o.by, o.most), o.time, end)
	}
	return b.rounds(some(functions, o.by, o.most), o.time, end)
}

// check runs functions once, two at a time. The error says which have failed.
func (b *builds) check(functions []function, d time.Duration, end time.Time) error {
	failed := make([]error, len(functions))
	var running sync.WaitGroup
	slots := make(chan struct{}, 2)
	for i, f := range functions {
		if slots <- struct{}{}; time.Now().After(end) {
			break
		}
		_, failed[i] = b.build(f.Package, "-fuzz=.") // which uses all CPUs itself
		running.Go(func() {
			defer func() { <-slots }()
			if failed[i] == nil {
				failed[i] = b.once(f, d)
			}
		})
	}
	running.Wait()
	return errors.Join(failed...)
}

// once runs a function, and prints what came of it.
func (b *builds) once(f function, d time.Duration) error {
	r, err := b.fuzz(f, d)
	if err != nil {
		return err
	}
	fmt.Println(r)
	return r.err()
}

// rounds runs the function that has run least, until the time is over or one has failed: it would fail again.
func (b *builds) rounds(functions []function, d time.Duration, end time.Time) error {
	ran, err := results.Read[result](resultsFile)
	if err != nil {
		return err
	}
	var failed []error
	for len(functions) > 0 && time.Now().Before(end) {
		i := least(functions, ran)
		f := functions[i]
		r, err := b.fuzz(f, d)
		if err != nil {
			return err
		}
		if r.Failed == "" {
			if r.Kept, r.Failed, err = b.keep(f); err != nil {
				return err
			}
		}
		fmt.Println(r)
		if r.Failed != "" {
			failed = append(failed, r.err())
			functions = append(functions[:i:i], functions[i+1:]...)
		}
		ran = append(ran, r)
		if err := errors.Join(appendResult(resultsFile, r), writeDocument()); err != nil {
			return err
		}
	}
	return errors.Join(failed...)
}
