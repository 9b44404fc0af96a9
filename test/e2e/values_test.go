package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/test/truth/judge"
)

// valuesProgram has a store with a value of each kind, and spins with it current.
const valuesProgram = `
const { AsyncLocalStorage } = require('async_hooks');
const concat = (...parts) => { let s = ''; for (const p of parts) s += p; return s; };
const one = '0123456789abcdefghijklmnopqrstuvwxyz', wide = '東京とても長い文字列です'.repeat(3);
const external = Buffer.alloc(1 << 21, 'external café ', 'latin1').toString('latin1');
const external2 = Buffer.alloc(1 << 22, 'external 世 ', 'utf16le').toString('utf16le');
class Private { #secret = 'hidden'; reveal() { return this.#secret; } }
const dictionary = { gone: 1, tenant: 'dict', yes: true, nested: { q: 1, z: 'zz' } };
delete dictionary.gone;
delete dictionary.nested.q;
const large = {}, largeMap = new Map();
for (let i = 0; i < 300; i++) { large['k' + i] = 'v' + i; largeMap.set('k' + i, 'mv' + i); }
delete large.k3;
const store = {
  yes: true, no: false, none: undefined, nil: null, big: 10n, number: 42, half: 0.5, negative: -7, empty: '',
  flat: 'flat',
  cons: concat(one, '-', one), mixed: concat(one, wide, 'café-end-of-it'), sliced: (one + one).slice(3, 40),
  slicedWide: wide.slice(2, 30), external: external.slice(0, 40), externalWide: external2.slice(9, 40),
  long: external, rope: 'x'.repeat(600), just: 'y'.repeat(512),
  inherited: Object.create({ k: 'inherited' }), proxy: new Proxy({ k: 'proxied' }, {}), get got() { return 'got'; },
  list: ['e0', { k: 'e1' }], doubles: [1.5], secret: new Private(), dictionary, large, largeMap, 'odd key': 'odd',
  map: new Map([['tenant', 'm'], [Symbol.for('global'), { v: 'gv' }], [Symbol('local'), 'lv'], ['東京', 'tokyo'], ['gone', 1]]),
};
store.map.delete('gone');
new AsyncLocalStorage({ name: 'app' }).run(store, () => { ` + spin + ` });
`

// TestValues: labels from values of all kinds, by all kinds of step, are what the store has, or are missing.
func TestValues(t *testing.T) {
	rules := []string{
		"yes=yes", "no=no", "none=none", "nil=nil", "big=big", "number=number", "half=half", "negative=negative",
		"empty=empty",
		"flat=store.flat", "cons=cons", "mixed=mixed", "sliced=sliced", "slicedWide=slicedWide", "external=external",
		"externalWide=externalWide", "long=long", "rope=rope", "just=just", "e0=list[0]", "e1=list[1].k", "e2=list[2]",
		"double=doubles[0]", "secret=secret.#secret", "dt=dictionary.tenant", "dy=dictionary.yes",
		"dz=dictionary.nested.z",
		"inherited=inherited.k", "proxy=proxy.k", "got=got",
		"dg=dictionary.gone", "l250=large.k250", "l3=large.k3", `lm=largeMap.get("k290")`, `lz=largeMap.get("k299")`,
		`mt=map.get("tenant")`,
		`mg=map.get(Symbol.for("global")).v`, `ml=map.get(Symbol("local"))`, `mf=map.get(Symbol.for("local"))`,
		`tokyo=map.get("東京")`, `gone=map.get("gone")`, `odd=store["odd key"]`, "deep=flat.length", "many=dictionary[0]",
	}
	wide := strings.Repeat("東京とても長い文字列です", 3)
	const one = "0123456789abcdefghijklmnopqrstuvwxyz"
	want := map[string]any{
		"yes": "true", "no": "false", "number": 42.0, "half": "0.5", "negative": -7.0, "flat": "flat",
		"cons":  one + "-" + one,
		"mixed": one + wide + "café-end-of-it", "sliced": (one + one)[3:40], "slicedWide": string([]rune(wide)[2:30]),
		"external":     string([]rune(strings.Repeat("external café ", 4))[:40]),
		"externalWide": string([]rune(strings.Repeat("external 世 ", 4))[9:40]),
		"long":         string([]rune(strings.Repeat("external café ", 99))[:512]) + "…",
		"rope":         strings.Repeat("x", 512) + "…",
		"just":         strings.Repeat("y", 512), "e0": "e0", "e1": "e1", "secret": "hidden", "dt": "dict",
		"dy": "true", "dz": "zz",
		"l250": "v250", "lm": "mv290", "lz": "mv299", "mt": "m", "mg": "gv", "ml": "lv", "tokyo": "tokyo", "odd": "odd",
	}
	eachFrameNode(t, func(t *testing.T, node string, flags []string) {
		p := command(t, node, append(flags, "-e", valuesProgram)...)
		time.Sleep(300 * time.Millisecond)
		var all judge.Share
		last, first := "", 0
		asked := append(judge.Flags(rules), "--labels", "custom") // with tracers' rules they would be too many
		for _, s := range recordEnough(t, p.Process.Pid, 199, 60, 1500*time.Millisecond, asked...) {
			if len(s.JS()) == 0 {
				continue
			}
			diff := cmp.Diff(want, s.Labels)
			if diff != "" && all.Whole == 0 {
				first++ // a key of a large table is found by chance, after some samples: then its hash is known
			} else {
				all.Count(diff == "")
			}
			for k, v := range s.Labels {
				if want[k] != v {
					t.Fatalf("label %s is %v, want %v", k, v, want[k])
				}
			}
			if diff != "" {
				last = diff
			}
		}
		if first > 200 {
			t.Errorf("%d samples before the first with all values", first)
		}
		// Node's own code between two turns has no store.
		if atLeast(t, all, "samples with all values", 90, 30); t.Failed() {
			t.Log(last)
		}
	})
}
