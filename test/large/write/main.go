// Command write writes a large recording as a file that hotspan reads. It is a process of its own, since the memory of
// one that starts others counts as theirs: Linux begins with it when it measures the most that a process had.
//
//	go run ./test/large/write SAMPLES STACKS REQUESTS FILE
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/hotspan/hotspan/otlp"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/jsonl"
	"github.com/hotspan/hotspan/pprofx/pprof"
	"github.com/hotspan/hotspan/test/large"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "write:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 4 {
		return fmt.Errorf("%d arguments, want SAMPLES STACKS REQUESTS FILE", len(args))
	}
	var numbers [3]int
	for i := range numbers {
		n, err := strconv.Atoi(args[i])
		if err != nil {
			return err
		}
		numbers[i] = n
	}
	f, err := os.Create(args[3])
	if err != nil {
		return err
	}
	defer f.Close()
	w := writer(f)
	l := large.Recording{Samples: numbers[0], Stacks: numbers[1], Requests: numbers[2]}
	if err := l.Each(w.Add); err != nil {
		return err
	}
	return w.Close()
}

// writer writes the format that the name of a file asks for.
func writer(f *os.File) pprofx.Writer {
	switch filepath.Ext(f.Name()) {
	case ".otlp":
		return otlp.NewWriter(f, otlp.Agent{})
	case ".jsonl":
		return jsonl.NewWriter(f)
	}
	return pprof.NewWriter(f)
}
