package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hotspan/hotspan/test/truth/judge"
)

// keptNames is what esbuild writes with the option keepNames, as tsx has it. Each function is on a line of its own.
const keptNames = `var __defProp=Object.defineProperty;
var __name=(target,value)=>__defProp(target,"name",{value,configurable:true});
const spinArrow=__name(n=>{for(let i=0;i<2e6;i++)n+=i%7;return n},"spinArrow");
const spinFunction=/* @__PURE__ */ __name(function(n){for(let i=0;i<2e6;i++)n+=i%7;return n},"spinFunction");
const spinAsync=/* @__PURE__ */ __name(async n=>{for(let i=0;i<2e6;i++)n+=i%7;return n},"spinAsync");
const other = (f, name) => f;
const plain = other(n=>{for(let i=0;i<2e6;i++)n+=i%7;return n},"not a name");
for (let end = Date.now() + 1500; Date.now() < end;) { spinArrow(1); spinFunction(1); spinAsync(1); plain(1); }
`

// minifiedNames is what it writes with --minify, too: the helper is r there, and what it names is a, b, …. The calls of
// the helper are on other lines than the functions, so that none of these is the line of the script itself.
const minifiedNames = `var i=Object.defineProperty;var r=(t,e)=>i(t,"name",{value:e,configurable:!0});var a=r(
n=>{for(let i=0;i<2e6;i++)n+=i%7;return n},"spinArrow");var b=r(
function(n){for(let i=0;i<2e6;i++)n+=i%7;return n},"spinFunction");var c=r(
async n=>{for(let i=0;i<2e6;i++)n+=i%7;return n},"spinAsync");
function d(n){for(let i=0;i<2e6;i++)n+=i%7;return n}
r(d,"spinDeclared");var o=(t,e)=>t,e=o(
n=>{for(let i=0;i<2e6;i++)n+=i%7;return n},"not a name");
function f(n){for(let i=0;i<2e6;i++)n+=i%7;return n}
o(f,"not a name");for(let g=Date.now()+1500;Date.now()<g;){a(1),b(1),c(1),d(1),e(1),f(1)}
`

// TestKeptNames: a function that V8 has no name for is called as esbuild's helper says, and only as that says.
func TestKeptNames(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, node string) {
		checkNames(t, node, keptNames, map[int]string{
			3: "spinArrow", 4: "spinFunction", 5: "spinAsync", 7: "(anonymous)",
		})
		checkNames(t, node, minifiedNames, map[int]string{
			2: "spinArrow", 3: "spinFunction", 4: "spinAsync", 5: "spinDeclared", 7: "(anonymous)", 8: "f",
		})
	})
}

// checkNames runs a program, and compares the names of its functions with those by their lines.
func checkNames(t *testing.T, node, program string, names map[int]string) {
	t.Helper()
	dir := t.TempDir()
	script, out := filepath.Join(dir, "kept.js"), filepath.Join(dir, "out.jsonl")
	if err := os.WriteFile(script, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	r := run(t, "record", "-F", "499", "-o", out, "--", node, script)
	t.Logf("%s", r.Stderr)
	right := map[int]*judge.Share{}
	for line := range names {
		right[line] = &judge.Share{}
	}
	for _, s := range readSamples(t, out) {
		js := s.JS()
		for i, f := range js {
			outermost := i+1 == len(js) || js[i+1].File != script // the script itself, which begins at the first lines
			if f.File == script && right[f.Line] != nil && (!outermost || names[f.Line] == "(anonymous)") {
				right[f.Line].Count(f.F == names[f.Line])
			}
		}
	}
	for line, share := range right {
		atLeast(t, *share, names[line], 100, 10)
	}
}
