package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/truth/judge"
)

// mutationProgram changes its store without pause: it adds and deletes properties, so that the store enters and leaves
// dictionary mode; Maps grow, shrink and are emptied; strings are concatenated, flattened, and made keys. A text is its
// key and a number n, n % 40 times.
const mutationProgram = `
const { AsyncLocalStorage } = require('async_hooks');
const store = { a: 'a-0', b: 'b-0', deep: { c: 'c-0' }, map: new Map([['d', 'd-0']]), list: ['e-0'] };
let n = 0;
let keys;
function text(key) {
  let s = key + '-';
  for (let i = 0; i < n % 40; i++) s += n;
  return s;
}
function change() {
  n++;
  store.a = text('a');
  if (n % 3 === 0) delete store.b; else store.b = text('b');
  store['x' + n % 50] = n;
  if (n % 7 === 0) for (let i = 0; i < 50; i++) delete store['x' + i];
  store.deep = n % 2 ? { c: text('c') } : { pad: 1, c: text('c') };
  for (let i = 0; i < n % 60; i++) store.map.set('k' + i, i);
  store.map.set('d', text('d'));
  if (n % 5 === 0) store.map.clear();
  if (n % 4 === 0) for (let i = 0; i < 60; i += 2) store.map.delete('k' + i);
  store.list = n % 2 ? [text('e')] : [text('e'), 1.5, n];
  if (n % 11 === 0) store.list = [1.5];
  store.a.charCodeAt(n % 100);
  store.flat = ['f-', ...Array(n % 40).fill(n)].join('');
  store.part = ('xg-' + String(n).repeat(n % 40) + 'x').slice(1, -1);
  // A shorter one that becomes a key cannot be told from its characters and what is behind them.
  if (n % 40 > 6) keys = { [n % 6 ? store.flat : store.deep.c]: n, [store.part]: n };
}
new AsyncLocalStorage({ name: 'app' }).run(store, () => { for (;;) change(); });
`

// TestMutation: a sample may interrupt any change. Its label for a key is a value of that key, or missing.
func TestMutation(t *testing.T) {
	t.Parallel()
	draw.Quarter(t, seldom)
	eachFrameNode(t, func(t *testing.T, node string, flags []string) {
		p := command(t, node, append(flags, "--max-semi-space-size=1", "-e", mutationProgram)...)
		samples := recordEnough(t, p.Process.Pid, 4999, 1000, 5*time.Second, "--label", "a=a", "--label", "b=b",
			"--label", "c=deep.c", "--label", `d=map.get("d")`, "--label", "e=list[0]",
			"--label", "f=flat", "--label", "g=part", "--label", `never=map.get("never")`)
		var with judge.Share
		for _, s := range samples {
			with.Count(len(s.Labels) > 0)
			for key, value := range s.Labels {
				if !ofKey(key, value) {
					t.Errorf("%s is %.40q in state %s at %v", key, value, s.State, s.Stack[0])
				}
			}
		}
		atLeast(t, with, "samples with labels", 50, 500)
	})
}

// ofKey reports whether a value is one that mutationProgram stores under a key.
func ofKey(key string, value any) bool {
	text, _ := value.(string)
	digits, found := strings.CutPrefix(text, key+"-")
	for length := 1; length <= len(digits); length++ {
		n, _ := strconv.Atoi(digits[:length])
		if found && digits == strings.Repeat(digits[:length], n%40) {
			return true
		}
	}
	return found && digits == "" || key == "e" && value == "1.5"
}

// mutations are kinds of change that V8 makes by several stores, of which a sample sees some. Each makes a new object,
// whose texts are a key and one number.
var mutations = map[string]string{
	// The hidden class says that the properties are in a dictionary before they are; what is there resembles one.
	"dictionary": `const o = { z: 0 };
		o.a = 'a-' + n; o.b = 'b-' + n; o.limit = 2; o.p3 = n; o.p4 = n; o.c = 'c-' + n; o.sort = 'b'; o.other = 'x-' + n;
		o.p8 = 192; store.o = o; delete o.z;`,
	// A filler is written over the properties before the hidden class says that the object is shorter.
	"filler": `store.o = { z: 0, a: 'a-' + n, b: 'b-' + n, c: 'c-' + n }; delete store.o.z;`,
	// A field of doubles has a box without a number before it has its number.
	"double": `const o = { x: 1 }; store.o = o; for (const k of ['a', 'b', 'c']) { Reflect.set(o, k, n + 0.5); }`,
	// The table's buckets are written over while it is copied.
	"rehash": `const m = new Map([['k0', 0], ['k1', 1], ['a', 'a-' + n]]); store.o = { m, second: 'second-' + n };
		for (let i = 0; i < 100; i++) m.set('k' + i, i);
		for (let i = 0; i < 100; i += 3) m.delete('k' + i);
		for (let i = 0; i < 100; i++) m.set('k' + i, i);
		for (let i = 0; i < 100; i++) m.delete('k' + i);`,
	// An accessor becomes a value, and the properties behind it move before the hidden class says so.
	"accessor": `const o = {};
		Object.defineProperty(o, 'x', { get() { return 1; }, configurable: true });
		o.a = 'a-' + n; o.b = 'b-' + n; o.c = 'c-' + n; store.o = o;
		Object.defineProperty(o, 'x', { value: 'x-' + n });`,
	// The same where they are in the property array, and where there are two; undefined is a value of theirs.
	"accessor outside": `const o = { y: 1 };
		Object.defineProperty(o, 'x', { get() { return 1; }, configurable: true });
		o.u = undefined; o.a = 'a-' + n; o.b = 'b-' + n; o.c = 'c-' + n; store.o = o;
		Object.defineProperty(o, 'x', { value: 'x-' + n });`,
	"accessors": `const o = {};
		Object.defineProperty(o, 'x', { get() { return 1; }, configurable: true });
		o.a = 'a-' + n;
		Object.defineProperty(o, 'y', { get() { return 1; }, configurable: true });
		o.b = 'b-' + n; o.c = 'c-' + n; store.o = o;
		Object.defineProperty(o, 'y', { value: 'x-' + n }); Object.defineProperty(o, 'x', { value: 'x-' + n });`,
	// A filler is written over elements before the array says that it is shorter.
	"array": `const l = ['d-' + n, 'e-' + n, 'f-' + n, 'g-' + n]; for (let i = 4; i < 40; i++) l[i] = 'x';
		store.o = l; l.length = 2;`,
}

func mutating(body string) string {
	return `const { AsyncLocalStorage } = require('async_hooks');
		const store = { o: {} };
		let n = 1000;
		function change() { n++; ` + body + ` }
		new AsyncLocalStorage().run(store, () => { for (;;) change(); });`
}

// TestMutationOfOneKind: a label is missing, or its value is that of all other labels of the object.
func TestMutationOfOneKind(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	rules := filepath.Join(t.TempDir(), "rules.yaml")
	if err := os.WriteFile(rules, []byte("labels: {a: [o.m.get(\"a\"), o.second, o.a], b: o.b, c: o.c, "+
		"d: \"o[0]\", e: \"o[1]\", f: \"o[2]\", g: \"o[3]\"}"), 0o644); err != nil {
		t.Fatal(err)
	}
	eachNode(t, func(t *testing.T, node string) {
		for kind, body := range mutations {
			t.Run(kind, func(t *testing.T) {
				p := command(t, node, "-e", mutating(body))
				samples := recordEnough(t, p.Process.Pid, 4999, 1000, 3*time.Second, "--rules", rules)
				var with judge.Share
				for _, s := range samples {
					with.Count(len(s.Labels) > 0)
					if !ofOneNumber(s.Labels) {
						t.Errorf("labels are %v in state %s at %v", s.Labels, s.State, s.Stack[0])
					}
				}
				atLeast(t, with, "samples with labels", 50, 500)
			})
		}
	})
}

// ofOneNumber reports whether all values are those that one of mutations stores together.
func ofOneNumber(labels map[string]any) bool {
	of := ""
	for key, value := range labels {
		text, _ := value.(string)
		number, is := strings.CutPrefix(text, key+"-")
		if f, err := strconv.ParseFloat(text, 64); err == nil {
			number, is = text, f > 1000
		}
		if !is || of != "" && number != of {
			return false
		}
		of = number
	}
	return true
}
