package e2e

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/truth/trial"
)

var unverified = regexp.MustCompile(`not verified (\d+)`)

// TestHostile: whatever is in the published memory, samples have no label that the case does not allow. Labels may lack
// where hotspan says so: it may have compared its layout of V8 with the process in a case, and found it wrong.
func TestHostile(t *testing.T) {
	t.Parallel()
	ids := map[string]any{"trace_id": strings.Repeat("ab", 16), "span_id": strings.Repeat("cd", 8)}
	label := map[string]any{"k": "v"}
	none := map[string]any(nil)
	cases := map[string][]map[string]any{ // what a sample may have; where it must have something, that alone
		"right": {ids}, "labels right": {label}, "rewritten": {none, ids}, "record at the end of memory": {ids},
		"labels without end": {label},
	}
	for _, name := range []string{
		"cycle", "longer cycle", "buckets no power of two", "no buckets", "buckets negative", "buckets huge",
		"rehashed",
		"entry beyond the table", "entry in the table's count only", "head no Smi", "table not mapped",
		"table no object",
		"frame of another class", "frame without a class", "frame forwarded to itself", "frame a Smi",
		"frame not mapped",
		"key forwarded to nowhere", "other key", "store undefined", "store a Smi", "store not mapped", "field 0",
		"field not mapped", "field in the kernel", "field not canonical", "field of V8's own", "record not valid",
		"record with another valid",
		"handle not mapped", "slot of another isolate", "slot not mapped", "slot 0", "labels not mapped",
		"labels in the kernel",
		"labels with storage not mapped", "labels with a huge key", "labels with a huge value",
		"labels with a key not mapped",
		"labels with a value not canonical", "labels without a key",
	} {
		cases[name] = []map[string]any{none}
	}
	const version = "24.21.0"
	node, err := nodes.Path(version)
	if err != nil {
		t.Fatal(err)
	}
	env := []string{
		"PUBLISH_ADDON=" + addon(t, node, "publish.c"),
		"HOSTILE_ADDON=" + addon(t, node, "hostile.cc", "-std=c++20", "-mtls-dialect=gnu2", "-Wno-cast-function-type"),
		"CASES=" + strings.Join(slices.Sorted(maps.Keys(cases)), ","),
	}
	const most = 6
	for range most {
		seen, verified := recordHostile(t, node, env, cases)
		missed := slices.Sorted(maps.Keys(cases))
		missed = slices.DeleteFunc(missed, func(name string) bool { return seen[name] > 0 })
		switch {
		case len(missed) == 0:
			return
		case verified:
			t.Fatalf("no samples of %v", missed)
		}
		t.Log("the process contradicted its V8 for too long: once more")
	}
	t.Errorf("the process contradicted its V8 for too long in each of %d recordings", most)
}

// recordHostile records a run of hostile.js, and returns how many samples of each case it has. verified is whether
// hotspan relied on its layout of V8 all the time.
func recordHostile(
	t *testing.T, node string, env []string, cases map[string][]map[string]any,
) (seen map[string]int, verified bool) {
	t.Helper()
	p := start(t, node, "hostile.js", nil, env)
	samples, r, err := trial.Record(hotspan, t.TempDir(), p.PID, 997, 6*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s", r.Stderr)
	log := p.truth(t)
	seen = map[string]int{}
	missing, said := 0, 0
	for i := range samples {
		s := &samples[i]
		at, ok := log.At(s.Mono(log), s.TID)
		if !ok || s.TID != p.PID {
			continue
		}
		name := at.Label.Route
		if s.Labels == nil && !slices.ContainsFunc(cases[name], func(m map[string]any) bool { return m == nil }) {
			missing++
			continue
		}
		if seen[name]++; !slices.ContainsFunc(cases[name],
			func(want map[string]any) bool { return cmp.Equal(want, s.Labels) }) {
			t.Errorf("%s: labels %v, want one of %v", name, s.Labels, cases[name])
		}
	}
	if m := unverified.FindStringSubmatch(r.Stderr); m != nil {
		said, _ = strconv.Atoi(m[1])
	}
	if missing > said {
		t.Errorf("%d samples lack labels, %d of them may", missing, said)
	}
	return seen, said == 0
}
