package e2e

import (
	"math"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/truth/judge"
)

// TestStrides: of hits that come in the same order again and again, each tenth has a sample, and of their values each
// tenth part: the samples stand for all of them, and share them as the calls do. What a limit leaves out is counted.
func TestStrides(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	eachNode(t, func(t *testing.T, node string) {
		library := addon(t, node, "probed.c")
		const counted, returned = "uprobe:probed.node:pay,every=10", "uretprobe:probed.node:pay_much,every=10"
		const valued = "uprobe:probed.node:pay,value=arg0,every=10"
		env := []string{"ADDON=" + library, "FUNCTION=pay", "REQUESTS=0", "CALLS=3000"}
		limit := []string{"--probe-limit", "1000000"}
		t.Run("hits", func(t *testing.T) {
			r := recordProbes(t, node, env, []string{counted, returned}, limit...)
			hits, _, samples := paid(r.samples, counted)
			checkStrides(t, &r, counted, hits, 10*r.sum())
			shareOf(t, "hits", samples, hits, 0.9)
			hits, _, _ = paid(r.samples, returned)
			checkStrides(t, &r, returned, hits, r.sum())
		})
		t.Run("values", func(t *testing.T) {
			r := recordProbes(t, node, env, []string{valued}, limit...)
			hits, values, samples := paid(r.samples, valued)
			checkStrides(t, &r, valued, hits, 10*r.sum())
			shareOf(t, "hits", samples, hits, 0.9)
			shareOf(t, "values", samples, values, 90./1090)
			all, distance := 1090*r.sum(), 20*109
			if sum := values.little + values.much; sum > all || sum < all-runtime.NumCPU()*distance {
				t.Errorf("values are %d, want %d", sum, all)
			}
			checkValues(t, &r, valued, values, all, "after the last sample")
		})
		t.Run("limited", func(t *testing.T) {
			const each = "uprobe:probed.node:pay,value=arg0"
			for probe, reasons := range map[string][]string{
				each: {"rate limit"}, valued: {"after the last sample", "rate limit"},
			} {
				r := recordProbes(t, node, env, []string{probe}, "--probe-limit", "20")
				_, values, _ := paid(r.samples, probe)
				all := 1090 * r.sum()
				if sum := values.little + values.much; sum > all/2 {
					t.Errorf("%s: samples stand for %d of %d: nothing is limited", probe, sum, all)
				}
				checkValues(t, &r, probe, values, all, reasons...)
				lostOf(t, r.said)
			}
		})
	})
}

// shares are those of pay_little and pay_much.
type shares struct{ little, much int }

// paid adds up the hits of a probe, their values, and the samples that have some.
func paid(all []judge.Sample, probe string) (hits, values shares, samples int) {
	for _, s := range all {
		if s.Labels["hotspan.probe"] != probe {
			continue
		}
		n := 1
		if s.Hits != nil {
			n = int(*s.Hits)
		}
		samples++
		if len(s.Stack) > 1 && s.Stack[1].F == "pay_little" {
			hits.little, values.little = hits.little+n, values.little+int(s.Weight)
		} else {
			hits.much, values.much = hits.much+n, values.much+int(s.Weight)
		}
	}
	return hits, values, samples
}

var (
	valueOf = regexp.MustCompile(
		`: (\d+) hits, value (\d+)(?:, value (\d+) of it without a sample((?:[:,] value \d+ [a-z ]+)*))?(?: \(.*\))?$`)
	lostValue = regexp.MustCompile(`value (\d+) ([a-z ]*[a-z])`)
)

// checkValues looks for all of what the hits of a probe stand for: samples do, or it is said that none does, and why:
// for each of the reasons, at most.
func checkValues(t *testing.T, r *probed, probe string, values shares, want int, reasons ...string) {
	t.Helper()
	_, line, _ := strings.Cut(r.said, "\n"+probe)
	line, _, _ = strings.Cut(line, "\n")
	m := valueOf.FindStringSubmatch(line)
	if m == nil {
		t.Fatalf("no values in %q", line)
	}
	all, _ := strconv.Atoi(m[2])
	without, _ := strconv.Atoi(m[3])
	if sum := values.little + values.much; m[1] != strconv.Itoa(10*r.sum()) || all != want || sum+without != want {
		t.Errorf("%s: samples stand for %d, none for %d, want %d in all: %s", probe, sum, without, want, line)
	}
	for _, m := range lostValue.FindAllStringSubmatch(m[4], -1) {
		n, _ := strconv.Atoi(m[1])
		if without -= n; !slices.Contains(reasons, m[2]) {
			t.Errorf("%s: %q is no reason here, want %q: %s", probe, m[2], reasons, line)
		}
	}
	if without != 0 {
		t.Errorf("%s: no reason for %d: %s", probe, without, line)
	}
}

var restOf = regexp.MustCompile(`after the last sample (\d+)`)

// checkStrides looks for all hits of a probe: in samples, or behind the last one on each CPU.
func checkStrides(t *testing.T, r *probed, probe string, hits shares, want int) {
	t.Helper()
	lostOf(t, r.said)
	counted, _ := hitsOf(t, r.said, probe)
	_, line, _ := strings.Cut(r.said, "\n"+probe+": ")
	line, _, _ = strings.Cut(line, "\n")
	rest := 0
	if m := restOf.FindStringSubmatch(line); m != nil {
		rest, _ = strconv.Atoi(m[1])
	}
	if sum := hits.little + hits.much; counted != want || sum+rest != want || rest >= runtime.NumCPU()*20 {
		t.Errorf("%s: samples stand for %d hits of %d, %d are behind the last, want %d",
			probe, sum, counted, rest, want)
	}
}

// shareOf bounds how far the share of pay_little may be from that of the calls by chance. A sample stands for 10 on
// average, with a variance of 30.
func shareOf(t *testing.T, what string, samples int, got shares, want float64) {
	t.Helper()
	const sigmas = 5
	share := float64(got.little) / float64(got.little+got.much)
	off := math.Sqrt(want * (1 - want) * 1.3 / (float64(samples) / 2))
	t.Logf("%s: the share of pay_little is %.4f, want %.4f ± %.4f, of %d samples", what, share, want, off, samples)
	if math.Abs(share-want) > sigmas*off {
		t.Errorf("%s: the share of pay_little is %.4f, want %.4f ± %.4f", what, share, want, off)
	}
}
