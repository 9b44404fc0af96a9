package e2e

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/truth/judge"
	"github.com/hotspan/hotspan/test/truth/trial"
)

// TestUnverified: a Node.js whose constants for debuggers say that V8 has something elsewhere. What is read by that is
// left out, nothing else is, and the warning, the closing line and the profile say so.
func TestUnverified(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	for what, constant := range map[string]string{
		"names":  "v8dbg_class_Script__name__Object",
		"lines":  "v8dbg_class_BytecodeArray__length__SMI",
		"labels": "v8dbg_class_Map__instance_descriptors__Tagged_DescriptorArray_",
	} {
		t.Run(what, func(t *testing.T) {
			list := nodes.Thorough()
			path, err := nodes.Path(list[len(list)-1].Version)
			if err != nil {
				t.Fatal(err)
			}
			p := start(t, misleading(t, path, constant, 8), "requests.js", nil, nil)
			file := filepath.Join(t.TempDir(), "out.jsonl")
			var r trial.Result
			var samples []judge.Sample
			untilEnough(t, func(times int) bool {
				r = run(t, "record", "-p", strconv.Itoa(p.PID), "-F", "499", "-d", fmt.Sprint(6*times, "s"), "-o", file,
					"--label", "endpoint=endpoint")
				t.Logf("%s", r.Stderr)
				samples = readSamples(t, file)
				return len(samples) > 800
			})
			if n := strings.Count(r.Stderr, "does not match this process, "+what+" are left out"); n != 1 {
				t.Errorf("%d warnings of what is left out, want one", n)
			}
			if !strings.Contains(r.Stderr, "not verified ") {
				t.Error("the closing line does not say that samples are not verified")
			}
			if !strings.Contains(notVerifiedOf(t, file), what) {
				t.Errorf("the profile does not say that %s are not verified", what)
			}
			said, want := namedSaid(t, r.Stderr), allNamed(samples).Percent()
			if math.Abs(said-want) > 0.1 {
				t.Errorf("the closing line says that all JavaScript is named in %v %%, which it is in %.2f %%", said,
					want)
			}
			last := samples[len(samples)*3/4:] // it takes some time until the first comparison
			for part, got := range map[string]judge.Share{
				"names": jsFrames(last, func(f judge.Frame) bool {
					if isNamed(f) && what == "names" {
						t.Logf("a name: %+v", f)
					}
					return isNamed(f)
				}),
				"lines": jsFrames(last, func(f judge.Frame) bool {
					return f.Line > 0 || f.F == "[unverified function]"
				}),
				"labels": counted(last, func(s judge.Sample) bool { return len(s.Labels) > 0 }),
			} {
				if part == what && got.Part > 0 || part != what && got.Percent() < 50 || got.Whole < 100 {
					t.Errorf("%s are wrong, and there are %s in %v", what, part, got)
				}
			}
		})
	}
}

// isNamed reports whether a frame has a name: what stands in the place of one is none.
func isNamed(f judge.Frame) bool { return f.F != "[unverified function]" && !f.IsUnknown() }

// allNamed is the share of the samples with JavaScript in which each frame of it has its name. As in the closing line,
// functions that were inlined and are not known are not among the frames.
func allNamed(samples []judge.Sample) (n judge.Share) {
	for _, s := range samples {
		js := slices.DeleteFunc(s.JS(), func(f judge.Frame) bool { return f.Kind != "js" })
		if len(js) > 0 {
			n.Count(!slices.ContainsFunc(js, func(f judge.Frame) bool { return !isNamed(f) }))
		}
	}
	return n
}

// namedSaid is that share in percent, as the closing line has it.
func namedSaid(t *testing.T, stderr string) float64 {
	t.Helper()
	m := regexp.MustCompile(`all JavaScript named ([0-9.]+) %`).FindStringSubmatch(stderr)
	if m == nil {
		t.Fatal("the closing line does not say how much JavaScript is named")
	}
	said, _ := strconv.ParseFloat(m[1], 64)
	return said
}

// notVerifiedOf is what the last snapshot of a file says not to be verified.
func notVerifiedOf(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`"hotspan\.not_verified":"([^"]*)"`).FindAllSubmatch(b, -1)
	if m == nil {
		return ""
	}
	return string(m[len(m)-1][1])
}

func jsFrames(samples []judge.Sample, yes func(judge.Frame) bool) (n judge.Share) {
	for i := range samples {
		for _, f := range samples[i].JS() {
			n.Count(yes(f))
		}
	}
	return n
}

func counted(samples []judge.Sample, yes func(judge.Sample) bool) (n judge.Share) {
	for _, s := range samples {
		n.Count(yes(s))
	}
	return n
}

// misleading copies a Node.js binary and adds to one of its constants for debuggers, which V8 itself does not read.
func misleading(t *testing.T, node, constant string, add uint32) string {
	t.Helper()
	b, err := os.ReadFile(node)
	if err != nil {
		t.Fatal(err)
	}
	f, err := elf.Open(node)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(symbols, func(s elf.Symbol) bool { return s.Name == constant })
	if i < 0 || f.Sections[symbols[i].Section].Type == elf.SHT_NOBITS {
		t.Fatalf("%s is not in %s", constant, node)
	}
	section := f.Sections[symbols[i].Section]
	at := b[symbols[i].Value-section.Addr+section.Offset:]
	binary.LittleEndian.PutUint32(at, binary.LittleEndian.Uint32(at)+add)
	to := filepath.Join(t.TempDir(), "node")
	if err := os.WriteFile(to, b, 0o755); err != nil {
		t.Fatal(err)
	}
	return to
}
