package walk

import (
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/nodes/live"
	"github.com/hotspan/hotspan/v8/functions"
	memory "github.com/hotspan/hotspan/v8/target"
)

// TestEachInstruction goes by single instructions through functions that call one another in one way only, compiled by
// each of V8's compilers. At each instruction the functions on the stack are the end of that way, and each is in the
// line of its call.
func TestEachInstruction(t *testing.T) {
	for _, v := range nodes.Drawn(nodes.Thorough(), t.Name()) {
		for _, how := range []string{"ignition", "sparkplug", "maglev", "turbofan", "inlined", "mixed"} {
			if how == "maglev" && !v.Maglev() {
				continue
			}
			t.Run(v.Version+"/"+how, func(t *testing.T) { eachInstruction(t, v, how) })
		}
	}
}

func eachInstruction(t *testing.T, v nodes.Version, how string) {
	runtime.LockOSThread() // only it may trace
	defer runtime.UnlockOSThread()
	args := live.Natives(v, inTemp(t, "testdata/steps.js"), how)
	if how != "inlined" {
		args = append([]string{"--max-inlined-bytecode-size=0", "--max-inlined-bytecode-size-cumulative=0"}, args...)
	}
	p := live.Start(t, v.Version, args...)
	th := stoppedAt(t, p, seize(t, p.PID))
	live := th.mem.(memory.Live)
	pages := memory.NewPages(&live)
	resolver := th.resolver(pages)
	begin := th.builtins("MathExpm1")
	runTo(t, p.PID, begin)
	seen, wrong := map[string]int{}, map[string]int{}
	for i := 0; i < maxSteps; i++ {
		th.regs = registers(t, p.PID)
		if i > 0 && slices.Contains(begin, th.regs.IP) {
			break
		}
		name, start, _, _ := th.process.Mappings.Builtin(th.regs.IP)
		chain, bad := th.chain(pages, resolver)
		pages.Forget()
		seen[chain]++
		if bad {
			wrong[fmt.Sprintf("%s at %s+0x%x", chain, name, th.regs.IP-start)]++
		}
		if err := step(p.PID); err != nil {
			t.Fatal(err)
		}
	}
	if len(wrong) > 0 {
		t.Errorf("wrong: %v", wrong)
	}
	for _, s := range th.says.Stack {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(seen)), func(chain string) bool {
			return strings.HasPrefix(chain, s.Name+":")
		}) {
			t.Errorf("%s is not seen to run: %v", s.Name, seen)
		}
	}
}

const maxSteps = 20000

// isIn reports whether a line is in a function of the script, by its index, and where it calls another if it does.
func (th *thread) isIn(i, line int, calls bool) bool {
	of := th.says.Stack[i]
	if calls {
		return line == of.Line
	}
	return line <= of.Column && (i == 0 || line > th.says.Stack[i-1].Column) // behind the end of the one before it
}

// chain is the functions of the script on the stack, leaf first, and their lines. bad says that they call one another
// in another way than the script says, or in other lines.
func (th *thread) chain(mem io.ReaderAt, v *functions.Resolver) (text string, bad bool) {
	var out []string
	next := -1 // index of the next function in the script's way, of the leaf any
	for frame := range logical(v, th.walk(mem)) {
		ours := frame.Lost != functions.NothingLost || filepath.Base(frame.File) == "steps.js"
		if frame.Kind != functions.JS || !ours {
			continue
		}
		out = append(out, fmt.Sprintf("%s:%d", frame.Name, frame.Line))
		i := slices.IndexFunc(th.says.Stack, func(s site) bool { return s.Name == frame.Name })
		if i < 0 {
			continue
		}
		bad = bad || next >= 0 && i != next || frame.Line != 0 && !th.isIn(i, frame.Line, next >= 0)
		next = i + 1
	}
	return strings.Join(out, " "), bad
}
