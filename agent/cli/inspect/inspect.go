// Package inspect has the verbs that look into a process or a core file, and do not sample: dump and inspect.
package inspect

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/cli/exit"
	"github.com/hotspan/hotspan/agent/cli/flags"
	"github.com/hotspan/hotspan/agent/cli/profiling"
	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/agent/internal/dump"
	"github.com/hotspan/hotspan/agent/internal/inspect"
	"github.com/hotspan/hotspan/v8/target/core"
)

// Inspect is the verb that looks into a core file, or into a process while it runs.
type Inspect struct {
	// The words may be fewer: what each is, parse tells. Flags may stand between them, which one list would not allow.
	Core      string   `arg:"" optional:"" help:"Core file; left out with -p."`
	Node      string   `arg:"" optional:"" help:"The executable, where it is elsewhere by now; may be left out."`
	Verb      string   `arg:"" optional:"" help:"${inspect}"`
	Addresses []string `arg:"" optional:"" name:"address" help:"Addresses of what to look at; for objects a name."`
	PID       int      `short:"p" help:"Inspect a process that runs, instead of a core." placeholder:"PID"`
	profiling.RuleFlags
	printFlags
	objectsFlags
	stopFlags
	Labels string `default:"trace,route,custom" help:"${labels} (${default})." placeholder:"KINDS"`
	Cache  bool   `default:"true" negatable:"" help:"${cache}"`
	JSON   bool   `name:"json" help:"Print all of it as JSON."`
}

// inspectVerbs are what can be asked. All but stack, objects and requests take addresses.
var inspectVerbs = []string{"stack", "print", "whatis", "function", "source", "closure", "objects", "refs",
	"path", "await", "requests"}

func isInspectVerb(word string) bool { return slices.Contains(inspectVerbs, word) }

// inspected is a command line of inspect taken apart.
type inspected struct {
	core, node string
	verb       string
	operands   []string
}

// parse takes the arguments apart: CORE [NODE] VERB OPERANDS, or with -p VERB OPERANDS.
func (v *Inspect) parse() (in inspected, err error) {
	words := append([]string{v.Core, v.Node, v.Verb}, v.Addresses...)
	words = slices.DeleteFunc(words, func(word string) bool { return word == "" })
	i := slices.IndexFunc(words, isInspectVerb)
	if i < 0 && v.PID != 0 && len(words) > 0 {
		return in, fmt.Errorf("%s cannot be shown%s (known: %s)", words[0], flags.DidYouMean(words[0], inspectVerbs),
			strings.Join(inspectVerbs, " "))
	}
	if i < 0 {
		return in, fmt.Errorf("what shall be shown? One of %v, as in hotspan inspect CORE stack", inspectVerbs)
	}
	of := words[:i]
	in.verb, in.operands = words[i], words[i+1:]
	switch {
	case v.PID != 0 && len(of) > 0:
		return in, fmt.Errorf("either a core or -p PID: %q", of)
	case v.PID == 0 && len(of) == 0:
		return in, fmt.Errorf("%s of what? hotspan inspect CORE [NODE] %[1]s, or hotspan inspect -p PID %[1]s", in.verb)
	case len(of) > 2:
		return in, fmt.Errorf("before %s only CORE and NODE: %q", in.verb, of)
	case in.verb == "stack" && len(in.operands) > 0:
		return in, fmt.Errorf("stack shows all threads: %q", in.operands)
	case in.verb == "requests" && len(in.operands) > 0:
		return in, fmt.Errorf("requests shows all requests: %q", in.operands)
	case in.verb == "objects" && len(in.operands) > 1:
		return in, fmt.Errorf("objects takes one name, such as Map: %q", in.operands)
	case !slices.Contains([]string{"stack", "objects", "requests"}, in.verb) && len(in.operands) == 0:
		return in, fmt.Errorf("%s takes addresses, such as 0x2b5e0f6c1d19", in.verb)
	}
	if err := v.checkStop(v.PID); err != nil {
		return in, err
	}
	if len(of) > 0 {
		in.core = of[0]
	}
	if len(of) > 1 {
		in.node = of[1]
	}
	return in, nil
}

// Run shows what was asked of a core or a process.
func (v *Inspect) Run(stdout io.Writer, c terminal.Console) error {
	in, err := v.parse()
	if err != nil {
		return exit.Usage(err)
	}
	switch in.verb {
	case "stack":
		return v.stack(stdout, c, &in)
	case "requests":
		return v.requests(stdout, c, &in)
	case "objects":
		return v.opened(c, &in, func(s *inspect.Subject) error {
			return v.printObjects(stdout, c, s, in.operands, v.JSON)
		})
	}
	return v.at(stdout, c, &in)
}

// stack shows the threads.
func (v *Inspect) stack(stdout io.Writer, c terminal.Console, in *inspected) error {
	config, err := dumpConfig(c, v.Labels, &v.RuleFlags, v.Cache)
	if err != nil {
		return err
	}
	config.PID, config.Arguments = v.PID, true
	if in.core == "" {
		return v.stopped(c, v.PID, func(time.Time) error { return printDump(stdout, config, v.JSON) })
	}
	return v.coreStack(stdout, in, config)
}

// requests shows which requests are in flight.
func (v *Inspect) requests(stdout io.Writer, c terminal.Console, in *inspected) error {
	config, err := dumpConfig(c, v.Labels, &v.RuleFlags, false)
	if err != nil {
		return err
	}
	return v.opened(c, in, func(s *inspect.Subject) error {
		return v.printRequests(stdout, c, s, config.Rules, v.JSON)
	})
}

// at prints what is at addresses.
func (v *Inspect) at(stdout io.Writer, c terminal.Console, in *inspected) error {
	var addresses []uint64
	for _, text := range in.operands {
		address, err := strconv.ParseUint(text, 0, 64)
		if err != nil {
			return exit.Usage(fmt.Errorf("%s takes addresses, such as 0x2b5e0f6c1d19, not %q", in.verb, text))
		}
		addresses = append(addresses, address)
	}
	return v.opened(c, in, func(subject *inspect.Subject) error {
		defer noteRan(c, v.PID)()
		switch in.verb {
		case "whatis":
			return printWhatIs(stdout, subject, addresses, v.JSON)
		case "function":
			return printFunctions(stdout, subject, addresses, v.JSON)
		case "source":
			return printSources(stdout, subject, addresses, v.JSON)
		case "refs":
			return v.printRefs(stdout, c, subject, addresses, v.JSON)
		case "path":
			return printPaths(stdout, c, subject, addresses, v.JSON)
		case "await":
			return printAwaits(stdout, c, subject, addresses, v.JSON)
		case "closure":
			return printClosures(stdout, subject, addresses, v.Depth, v.JSON)
		}
		return v.print(stdout, subject, addresses, v.JSON)
	})
}

// opened calls show with what is looked into.
func (v *Inspect) opened(c terminal.Console, in *inspected, show func(*inspect.Subject) error) error {
	return v.stopped(c, v.PID, func(at time.Time) error {
		return v.openedNow(c, in, func(s *inspect.Subject) error {
			s.At(at)
			return show(s)
		})
	})
}

func (v *Inspect) openedNow(c terminal.Console, in *inspected, show func(*inspect.Subject) error) error {
	subject, end, err := v.open(in)
	if err != nil {
		return err
	}
	defer end()
	for _, p := range subject.Problems {
		c.Logger(false).Warn("not used", "why", p)
	}
	if subject.Missing > 0 { // a sum would seem to be all, and nothing to be there
		c.Logger(false).Warn("the core was cut off: what is in the rest is not known", "bytes", subject.Missing)
	}
	return show(subject)
}

// open opens what is looked into. The caller calls end.
func (v *Inspect) open(in *inspected) (subject *inspect.Subject, end func(), err error) {
	if in.core == "" {
		if subject, err = inspect.OpenLive(v.PID); err != nil {
			return nil, nil, exit.Explain(err)
		}
		return subject, subject.Close, nil
	}
	file, from, err := openCore(in.core)
	if err != nil {
		return nil, nil, err
	}
	if subject, err = inspect.OpenCore(from, in.node); err != nil {
		file.Close()
		return nil, nil, fmt.Errorf("%s: %w", in.core, err)
	}
	return subject, func() { subject.Close(); file.Close() }, nil
}

// coreStack shows the threads of a core.
func (v *Inspect) coreStack(stdout io.Writer, in *inspected, config dump.Config) error {
	file, from, err := openCore(in.core)
	if err != nil {
		return err
	}
	defer file.Close()
	d, problems, err := dump.OfCore(from, in.node, config)
	if err != nil {
		return fmt.Errorf("%s: %w", in.core, err)
	}
	if v.JSON {
		return terminal.PrintJSON(stdout, coreOf(in.core, from, d, problems))
	}
	w := &sheet{terminal.Sheet{Writer: stdout}}
	w.core(in.core, from, d, problems)
	return w.Err
}

func (w *sheet) core(name string, c *core.Core, d *dump.Dump, problems []error) {
	w.Printf("core %s: process %d, %s, Node.js %s\n", terminal.Printable(name), c.PID, terminal.Printable(c.Arguments),
		terminal.NodeVersion(d.Node))
	if c.Missing > 0 {
		w.Printf("the core was cut off: %d bytes of memory are missing\n", c.Missing)
	}
	for _, p := range problems {
		w.Printf("not used: %s\n", terminal.Printable(p.Error()))
	}
	if d.NotVerified != "" {
		w.Printf("not verified, so left out: %s\n", d.NotVerified)
	}
	for i := range d.Threads {
		t := &d.Threads[i]
		w.Printf("\nthread %d%s: V8 %v%s\n", t.TID, signalOf(c, i), t.State, terminal.LabelText(t.Labels))
		w.frames(t)
	}
}

// signalOf says which signal a thread of a core got.
func signalOf(c *core.Core, thread int) string {
	name := signalName(c)
	switch {
	case thread > 0 || name == "":
		return ""
	case c.Fault != 0:
		return fmt.Sprintf(", %s at 0x%x", name, c.Fault)
	}
	return ", " + name
}

func signalName(c *core.Core) string {
	if c.Signal == 0 {
		return ""
	}
	if name := unix.SignalName(unix.Signal(c.Signal)); name != "" {
		return name
	}
	return fmt.Sprintf("signal %d", c.Signal)
}

// inspectedCore is the stacks of a core in JSON.
type inspectedCore struct {
	Core        string         `json:"core"`
	PID         int            `json:"pid"`
	CommandLine string         `json:"commandLine"` // the first 79 bytes
	Signal      string         `json:"signal,omitempty"`
	Fault       string         `json:"fault,omitempty"`
	Node        string         `json:"node,omitempty"`
	Missing     uint64         `json:"missing,omitempty"` // bytes of memory
	NotUsed     []string       `json:"notUsed,omitempty"`
	NotVerified string         `json:"notVerified,omitempty"`
	Threads     []dumpedThread `json:"threads"`
}

func coreOf(name string, c *core.Core, d *dump.Dump, problems []error) inspectedCore {
	out := inspectedCore{Core: name, PID: c.PID, CommandLine: c.Arguments, Signal: signalName(c), Node: d.Node,
		Missing: c.Missing, NotVerified: d.NotVerified, Threads: dumpOf(d).Threads}
	if c.Fault != 0 {
		out.Fault = fmt.Sprintf("0x%x", c.Fault)
	}
	for _, p := range problems {
		out.NotUsed = append(out.NotUsed, p.Error())
	}
	return out
}
