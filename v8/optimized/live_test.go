package optimized

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/nodes/live"
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/target"
)

// TestSitesAgainstV8sPrinter has V8 print what the code that Maglev made of a function keeps for the deoptimiser, and
// compares what is read of the same code in the process's memory.
func TestSitesAgainstV8sPrinter(t *testing.T) {
	for _, v := range nodes.Versions() {
		t.Run(v.Version, func(t *testing.T) {
			if !v.Maglev() {
				return // there is nothing to look at
			}
			r, text := startMaglev(t, v.Version)
			m := regexp.MustCompile(`- code: (0x[0-9a-f]+) <Code MAGLEV>`).FindStringSubmatch(text)
			if m == nil {
				t.Fatal("V8 did not compile the function with Maglev")
			}
			c, err := r.Code(heap.Word(parseHex(t, m[1])))
			if err != nil {
				t.Fatal(err)
			}
			o, err := Read(r, c)
			if err != nil {
				t.Fatal(err)
			}
			want := printedSites(t, text, c.Start)
			if len(want) < 30 || !strings.Contains(fmt.Sprint(want), "forEach") {
				t.Fatalf("V8 printed only this: %v", want)
			}
			if diff := cmp.Diff(want, readSites(t, r, o)); diff != "" {
				t.Errorf("V8 prints -, memory has +:\n%s", diff)
			}
		})
	}
}

// TestInlinedFunctions compares what optimised code says of its functions with what V8's printer says.
func TestInlinedFunctions(t *testing.T) {
	for _, v := range nodes.Drawn(nodes.Versions(), t.Name()) {
		t.Run(v.Version, func(t *testing.T) {
			p := live.Start(t, v.Version, live.Natives(v, "testdata/inlined.js", live.Stdout)...)
			var says map[string]struct{ At, Start string }
			p.Said(t, &says)
			r := readerOf(t, p)
			small, err := r.Shared(heap.Word(parseHex(t, says["small"].At)))
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"maglev", "turbofan"} {
				if name == "maglev" && (!v.Maglev() || !r.Layout().Has(layout.TranslationBegin)) {
					continue // before V8 12 Maglev's tables are not read: it was off by default
				}
				checkFunctions(t, r, says[name].At, says[name].Start, small)
			}
		})
	}
}

func checkFunctions(t *testing.T, r *heap.Reader, function, start string, small heap.Word) {
	t.Helper()
	sfi, err := r.Shared(heap.Word(parseHex(t, function)))
	if err != nil {
		t.Fatal(err)
	}
	c, err := r.FindCode(parseHex(t, start), new(heap.Word))
	if err != nil {
		t.Fatal(err)
	}
	o, err := Read(r, c)
	if err != nil || o.Function != sfi || !slices.Contains(o.Functions()[1:], small) ||
		len(o.Positions)+len(o.sites) == 0 {
		t.Errorf("%+v: %+v, %v, want %v with %v inlined", c, o, err, sfi, small)
	}
}

// readerOf reads the heap of a running Node.js.
func readerOf(t *testing.T, p *live.Process) *heap.Reader {
	t.Helper()
	f, err := os.Open(p.Node)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	l, err := layout.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	return heap.NewReader(target.Live{PID: p.PID}, l)
}

func startMaglev(t *testing.T, version string) (*heap.Reader, string) {
	t.Helper()
	p := live.Start(t, version, "--allow-natives-syntax", "--maglev", "--no-turbofan", "--print-maglev-code",
		"--print-code-verbose", "testdata/maglev.js")
	if p.Line != "ready" {
		t.Fatalf("maglev.js: %q", p.Line)
	}
	text, err := os.ReadFile(p.Stdout)
	if err != nil {
		t.Fatal(err)
	}
	return readerOf(t, p), string(text)
}

func parseHex(t *testing.T, s string) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(strings.TrimPrefix(s, "0x"), 16, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

var (
	printedPoint   = regexp.MustCompile(`^ +(\d+) +-?\d+ +(?:[0-9a-f]+|NA) *$`)
	printedFrame   = regexp.MustCompile(`^INTERPRETED_FRAME_\w+ \{bytecode_offset=(-?\d+), function=([^,]*),`)
	printedBuiltin = regexp.MustCompile(`^JAVA_?SCRIPT_BUILTIN_\w+FRAME `)
	printedLiteral = regexp.MustCompile(`^LITERAL .*<JSFunction (\S+) `)
	printedEntry   = regexp.MustCompile(`^(0x[0-9a-f]+) +([0-9a-f]+) +num extra .* deopt +(\d+) trampoline: ` +
		`+([0-9a-f]+)`)
)

// printedSites are the safepoints of the code that begins at an address, as V8 printed them, with the frames of the
// translation printed before: "name@offset", innermost first, by offset of the code.
func printedSites(t *testing.T, text string, start uint64) map[int][]string {
	sites := map[int][]string{}
	var points map[string][]string
	point, builtin := "", false
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "Deoptimization Input Data") {
			points = map[string][]string{}
		}
		if m := printedPoint.FindStringSubmatch(line); m != nil {
			point = m[1]
		}
		if m := printedFrame.FindStringSubmatch(line); m != nil {
			points[point] = append([]string{m[2] + "@" + m[1]}, points[point]...)
		}
		if m := printedLiteral.FindStringSubmatch(line); m != nil && builtin {
			points[point] = append([]string{m[1] + "@-1"}, points[point]...)
		}
		builtin = printedBuiltin.MatchString(line)
		if m := printedEntry.FindStringSubmatch(line); m != nil && parseHex(t, m[1])-parseHex(t, m[2]) == start {
			sites[int(parseHex(t, m[2]))] = points[m[3]]
			sites[int(parseHex(t, m[4]))] = points[m[3]]
		}
	}
	return sites
}

func readSites(t *testing.T, r *heap.Reader, o *Tables) map[int][]string {
	sites := map[int][]string{}
	for _, s := range o.sites {
		for _, w := range o.DeoptFrames(s.pc) {
			f, err := r.Function(w.Function)
			if err != nil {
				t.Fatal(err)
			}
			sites[s.pc] = append(sites[s.pc], fmt.Sprintf("%s@%d", f.Name, w.Offset))
		}
	}
	return sites
}
