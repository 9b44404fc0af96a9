package e2e

import (
	"strconv"
	"strings"
	"testing"
	"time"

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
