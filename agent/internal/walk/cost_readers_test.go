package walk

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hotspan/hotspan/agent/internal/bpf/bpftest"
	"github.com/hotspan/hotspan/agent/internal/procs"
	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/test/nodes/live"
)

// costs is one program, with what is measured of reading it.
type costs struct {
	node, script string
	env          []string
	first        bool // what its samples cost without labels is in the table too
	readers      []reader
}

// reader is one way to read labels, and what it is called in the table.
type reader struct {
	name      string
	labels    reqctx.Kinds
	rules     []string
	published bool
}

// The stores of requests.js: objects, and Maps.
var (
	storeRules = []string{"endpoint=endpoint", "tenant=user.tenant", "user=user.id", "premium=store.premium"}
	mapRules   = []string{
		`endpoint=get("endpoint")`, `tenant=get(Symbol.for("app user")).get("tenant")`, `premium=get("premium")`,
		`user=store.get(Symbol.for("app user")).get(Symbol("id of the user"))`,
	}
	ids      = reqctx.Kinds{Trace: true}
	idsRoute = reqctx.Kinds{Trace: true, Route: true}
	custom   = reqctx.Kinds{Custom: true}
)

// allCosts builds the add-ons that some of the programs take.
func allCosts(b *testing.B) []costs {
	const node, before = "24.21.0", "22.23.3"
	binary := live.Binary(b, node)
	addon := func(name string, arguments ...string) string {
		return live.Addon(b, binary, filepath.Join("../../../test/e2e/testdata", name), arguments...)
	}
	publish := "PUBLISH_ADDON=" + addon("publish.c")
	threads := func(arguments ...string) []string {
		return []string{publish, "THREADS_ADDONS=" + addon("threads.c", append(arguments, "-mtls-dialect=gnu2")...)}
	}
	labels := addon("custom_labels.cc", "-std=c++20", "-mtls-dialect=gnu2", "-Wno-cast-function-type")
	read := func(name string) []reader { return []reader{{name: name, published: true}} }
	return []costs{
		{node: node, script: "requests.js", first: true, readers: []reader{
			{name: "OpenTelemetry: trace and span id", labels: ids},
			{name: "OpenTelemetry: ids and route", labels: idsRoute},
			{name: "a store by rule: four values, of it and of an object in it", labels: custom, rules: storeRules},
		}},
		{node: node, script: "requests.js", env: []string{"BURN_US=300"},
			readers: []reader{{name: "OpenTelemetry: ids and route, each request for 0.3 ms", labels: idsRoute}}},
		{node: node, script: "requests.js", env: []string{"BURN_US=200000"},
			readers: []reader{{name: "OpenTelemetry: ids and route, each request for 200 ms", labels: idsRoute}}},
		{node: node, script: "requests.js", env: []string{"STORES=dictionary"},
			readers: []reader{{name: "a store by rule: both in dictionary mode", labels: custom, rules: storeRules}}},
		{node: node, script: "requests.js", env: []string{"STORES=map"},
			readers: []reader{{name: "a store by rule: two Maps", labels: custom, rules: mapRules}}},
		{node: before, script: "requests.js",
			readers: []reader{{name: "a store by rule: kept by async_hooks, Node 22", labels: custom,
				rules: storeRules}}},
		{node: node, script: "requests.js", env: []string{"TRACER=datadog"}, readers: []reader{
			{name: "dd-trace: trace and span id", labels: ids},
			{name: "dd-trace: ids, method and path", labels: idsRoute},
		}},
		{node: node, script: "published.js", env: []string{publish, "WRITER=pprof-5.18"},
			readers: read("Node.js thread context: @datadog/pprof 5.18")},
		{node: node, script: "published.js", env: []string{publish, "WRITER=pprof-5.20"},
			readers: read("Node.js thread context: @datadog/pprof 5.20")},
		{node: node, script: "native_threads.js", env: threads(), readers: read("thread context: static TLS")},
		{node: node, script: "native_threads.js", env: threads("-DFILLER=65536"),
			readers: read("thread context: dynamic TLS")},
		{node: node, script: "native_threads.js", env: threads("-DLABELS"),
			readers: read("custom labels: of a thread")},
		{node: node, script: "published.js", env: []string{publish, "LABELS_ADDON=" + labels, "WRITER=custom-labels"},
			readers: read("custom labels: of Node.js")},
	}
}

// How long is measured: rounds of one turn for each reader and one without any.
var costRates = []struct {
	rate, rounds int
	turn         time.Duration
}{{99, 10, 400 * time.Millisecond}, {999, 12, 120 * time.Millisecond}}

// BenchmarkReaders prints what each way to read labels costs, as a table: the reads of the process's memory, and what a
// sample with them takes longer in the kernel than one of the same program without, in microseconds, and in percent of
// that one. It judges nothing: timings of one machine are nobody else's.
func BenchmarkReaders(b *testing.B) {
	m, p := newMeter(b), bpftest.Load(b)
	fmt.Print("\n| read | reads of memory |")
	for _, r := range costRates {
		fmt.Printf(" %d Hz |", r.rate)
	}
	fmt.Printf("\n|---|---|%s\n", strings.Repeat("---|", len(costRates)))
	for _, c := range allCosts(b) {
		c.run(b, m, p)
	}
}

// run prints the lines of one program.
func (c costs) run(b *testing.B, m *meter, p *bpftest.Program) {
	b.Helper()
	pid, end := c.start(b)
	defer end()
	none := m.way(b, pid, nil, false)
	ways := []*way{none}
	for _, r := range c.readers {
		ways = append(ways, m.way(b, pid, r.parsed(b), r.published))
	}
	m.measure(b, ways, 999, 2, 200*time.Millisecond) // to learn
	cells := make([]string, len(ways))
	for _, r := range costRates {
		m.measure(b, ways, r.rate, r.rounds, r.turn)
		base := median(none.costs)
		cells[0] += fmt.Sprintf(" %.1f µs |", base/1e3)
		for i, w := range ways[1:] {
			more, off := w.more(none)
			cells[i+1] += fmt.Sprintf(" %.1f ± %.1f µs, %.0f %% |", more/1e3, off/1e3, 100*more/base)
		}
	}
	if err := m.sampler.RemoveProcess(pid); err != nil {
		b.Fatal(err)
	}
	if c.first {
		fmt.Printf("| nothing, of %d frames | |%s\n", none.frames/max(none.samples, 1), cells[0])
	}
	for i, r := range c.readers {
		fmt.Printf("| %s | %.0f |%s\n", r.name, ways[i+1].reads(b, p), cells[i+1])
	}
}

// parsed are the rules of the reader.
func (r reader) parsed(b *testing.B) []reqctx.Rule {
	b.Helper()
	var own []reqctx.Rule
	for _, text := range r.rules {
		rule, err := reqctx.ParseRule(text)
		if err != nil {
			b.Fatal(err)
		}
		own = append(own, rule)
	}
	return r.labels.Rules(own)
}

// start runs the program until end is called. Its stack is where this process has no memory.
func (c costs) start(b *testing.B) (pid int, end func()) {
	b.Helper()
	bpftest.Randomize(b)
	for range 20 {
		pid, end = c.once(b)
		if highest(b, pid, "[stack]") < bpftest.MaxAddress {
			time.Sleep(time.Second) // to warm up
			return pid, end
		}
		end()
	}
	b.Fatal("each process has its stack where this one has its memory")
	return 0, nil
}

// once runs the program, for two minutes at most.
func (c costs) once(b *testing.B) (pid int, end func()) {
	b.Helper()
	stop := filepath.Join(b.TempDir(), "stop")
	for _, e := range append(c.env, "STOP="+stop, "DURATION_MS=120000") {
		name, value, _ := strings.Cut(e, "=")
		os.Setenv(name, value)
		defer os.Unsetenv(name)
	}
	p := live.Start(b, c.node, filepath.Join("../../../test/programs", c.script))
	return p.PID, func() {
		if err := os.WriteFile(stop, nil, 0o600); err != nil {
			b.Fatal(err)
		}
	}
}

// highest is the end of the last mapping of a name.
func highest(b *testing.B, pid int, name string) (end uint64) {
	b.Helper()
	maps, err := procs.Maps(pid)
	if err != nil {
		b.Fatal(err)
	}
	for _, m := range maps {
		if m.Path == name {
			end = m.End
		}
	}
	return end
}
