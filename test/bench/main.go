// Command bench measures what hotspan costs: against nothing, against another revision, and against OpenTelemetry's
// eBPF profiler, all by turns in one run. It prints tables and sets no bound, as timings hold for one machine only; it
// fails where a profiler fails or a figure cannot be read. It runs from the root of the repository, as root.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"
)

type options struct {
	node, hotspan, base, otel, app, write, only string
	full, short                                 bool
}

func main() {
	var o options
	flag.StringVar(&o.node, "node", "node", "Node.js binary")
	flag.StringVar(&o.hotspan, "hotspan", "bin/hotspan", "hotspan binary")
	flag.StringVar(&o.base, "base", "", "compare with a revision of the repository, or another hotspan binary")
	flag.StringVar(&o.otel, "otel", "", "compare with OpenTelemetry's eBPF profiler: its binary")
	flag.StringVar(&o.app, "app", "", "measure the npm package only: a node_modules folder that has it")
	flag.BoolVar(&o.full, "full", false, "also 19 and 999 Hz, other labels, and many processes: half an hour")
	flag.BoolVar(&o.short, "short", false, "a look at everything in a minute or two; the figures are rough")
	flag.StringVar(&o.only, "only", "", "some parts only: busy, steady, idle, start, many, with commas between them")
	flag.StringVar(&o.write, "write", "", "write the tables into this Markdown file, between its markers")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := measure(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func measure(ctx context.Context, o options) error {
	dir, err := os.MkdirTemp("", "hotspan-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &bench{node: o.node, app: o.app, dir: dir, plan: wholePlan}
	b.profilers = []profiler{{name: "hotspan", binary: o.hotspan}}
	if o.short {
		b.plan = shortPlan
	}
	if o.base != "" {
		path, name, err := baseBinary(ctx, o.base, dir)
		if err != nil {
			return err
		}
		b.profilers = append(b.profilers, profiler{name: name, binary: path})
	}
	if o.otel != "" {
		b.profilers = append(b.profilers, profiler{name: otelName, binary: o.otel, otel: true})
	}
	stats, err := ebpf.EnableStats(unix.BPF_STATS_RUN_TIME)
	if err != nil {
		return fmt.Errorf("run-time statistics of BPF: %w", err)
	}
	defer stats.Close()
	tables, err := b.tables(ctx, o.full, o.only)
	if err != nil || o.write == "" {
		return err
	}
	return writeDocument(o.write, document(tables, b.machine()))
}

// part is a part of the benchmark: some tables.
type part struct {
	name    string
	measure func(context.Context) ([]table, error)
}

func (b *bench) parts(full bool) []part {
	if b.app != "" {
		return []part{{"contexts", b.contexts}}
	}
	one := func(t table, err error) ([]table, error) { return []table{t}, err }
	busy := func(rate, rounds int, kinds ...labels) part {
		return part{"busy", func(ctx context.Context) ([]table, error) { return b.busy(ctx, rate, rounds, kinds) }}
	}
	together := func(name string, rate, processes, busy int) part {
		c := crowd{processes, busy, []string{b.node}}
		return part{name, func(ctx context.Context) ([]table, error) { return one(b.together(ctx, rate, c)) }}
	}
	all := []part{
		busy(99, b.plan.rounds, defaultLabels),
		together("steady", 99, 1, 1),
		together("idle", 99, 1, 0),
		{"start", func(ctx context.Context) ([]table, error) { return one(b.starts(ctx)) }},
	}
	if full {
		for _, rate := range []int{19, 99, 999} {
			all = append(all, busy(rate, (b.plan.rounds+1)/2, noLabels, defaultLabels, twoRules))
		}
		all = append(all, together("steady", 999, 1, 1))
		all = append(all, part{"many", b.manyProfiled}, together("many", manyRate, 20, 4))
	}
	return all
}

// tables measures those parts that are named, or all if none is, and prints the tables of each as soon as they are
// there.
func (b *bench) tables(ctx context.Context, full bool, only string) ([]table, error) {
	var all []table
	fmt.Println(b.machine() + "\n")
	for _, p := range b.parts(full) {
		if only != "" && !slices.Contains(strings.Split(only, ","), p.name) {
			continue
		}
		tables, err := p.measure(ctx)
		if err != nil {
			return nil, err
		}
		for _, t := range tables {
			fmt.Println(t.text())
		}
		all = append(all, tables...)
	}
	return all, nil
}

// document is the tables as a part of a document in Markdown.
func document(tables []table, machine string) string {
	var b strings.Builder
	b.WriteString(wrap(machine, 118) + "\n")
	for _, t := range tables {
		b.WriteString("\n" + t.markdown())
	}
	return b.String()
}
