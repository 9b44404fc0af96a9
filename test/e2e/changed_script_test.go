package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/test/draw"
)

// changesScripts is a loader as tracers have them: it puts five lines before the text of one module, which names no
// source map, and one before and behind that of another.
const changesScripts = `const { prototype } = require("node:module"), compile = prototype._compile;
prototype._compile = function (text, file) {
	if (file.endsWith("five.js")) text = "\n\n\n\n\n" + text;
	if (file.endsWith("around.js")) text = "\n" + text + "\n";
	return compile.call(this, text, file);
};
const five = require("./five.js"), around = require("./around.js"), same = require("./same.js");
for (let end = Date.now() + Number(process.argv[2]); Date.now() < end;) { five(1); around(1); same(1); }
`

// TestChangedScript: the closing lines count a script whose lines are not those of its file, and -v names it. That is
// found beside the sampling, which waits for nothing.
func TestChangedScript(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	eachNode(t, func(t *testing.T, node string) {
		dir := t.TempDir()
		const spin = "module.exports = n => {\n\tfor (let i = 0; i < 2e6; i++) n += i % 7;\n\treturn n;\n};\n"
		for name, text := range map[string]string{
			"main.js": changesScripts, "five.js": spin, "around.js": spin, "same.js": spin,
		} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		untilEnough(t, func(times int) bool {
			r := run(t, "record", "-v", "-F", "499", "-o", filepath.Join(dir, "out.jsonl"), "--", node,
				filepath.Join(dir, "main.js"), strconv.Itoa(1500*times))
			named := "names no source map, script " + filepath.Join(dir, "five.js") + ", lines 9, of the file 4\n"
			counted := "\nsource maps not used: none for changed scripts 1 (-v names them)\n"
			said := strings.Contains(r.Stderr, named) && strings.Contains(r.Stderr, counted)
			if !said && times == 8 {
				t.Errorf("not said: %s%s in %s", named, counted, r.Stderr)
			}
			return said
		})
	})
}
