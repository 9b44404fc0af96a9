package nodeargs

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/test/nodes"
)

// helpLine is a line of node --help with the names of an option, which one with a value ends, as "-p, --print [...]".
var helpLine = regexp.MustCompile(`(?m)^  (-[^\s,]*(?:, -[^\s,]+)*(?: \[\.\.\.\])?)`)

// The names of an option, and whether the next argument is its value: that of --inspect[=[host:]port] never is.
func namesOf(line string) (names []string, value bool) {
	for name := range strings.SplitSeq(line, ", ") {
		end := strings.IndexAny(name, "=[ ")
		if end < 0 {
			end = len(name)
		}
		names, value = append(names, name[:end]), end < len(name) && name[end] != '['
	}
	return names, value
}

func TestHelp(t *testing.T) {
	met := setOf("-pe --security-revert --security-reverts") // which no help shows
	const changed = "--experimental-default-config-file"     // it has a value since Node 26.10
	for _, v := range nodes.Versions() {
		path, err := nodes.Path(v.Version)
		if err != nil {
			t.Fatal(err)
		}
		help, err := exec.Command(path, "--help").Output()
		if err != nil {
			t.Fatalf("Node %s: %v", v.Version, err)
		}
		options := helpLine.FindAllStringSubmatch(string(help), -1)
		if len(options) < 100 {
			t.Errorf("Node %s: %d options in its help", v.Version, len(options))
		}
		for _, option := range options {
			names, value := namesOf(option[1])
			for _, name := range names {
				if met[name] = true; withValue[name] != value && name != changed {
					t.Errorf("Node %s: %s has a value: %v, want %v", v.Version, name, withValue[name], value)
				}
			}
		}
	}
	for name := range withValue {
		if !met[name] {
			t.Errorf("%s is in the help of no Node", name)
		}
	}
}

// A script writes down the options before it, with their values, as Node has read them, and its own arguments.
const program = `console.log(JSON.stringify([process.execArgv.length, process.argv.length]))`

func TestSplitAsNode(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "app.js"), []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, v := range nodes.Thorough() {
		for _, arguments := range []string{
			"app.js", "app.js x", "--inspect-port 9230 app.js", "--inspect_port 9230 app.js x -y",
			"--unhandled-rejections strict app.js", "--max-http-header-size 16384 app.js", "--diagnostic-dir . app.js",
			"--title=x --title y app.js", "--inspect-port=0 --inspect app.js",
			"-i app.js", "--stack-trace-limit=5 -C x app.js", "--v8-pool-size 2 app.js --x",
		} {
			path, err := nodes.Path(v.Version)
			if err != nil {
				t.Fatal(err)
			}
			words := strings.Fields(arguments)
			cmd := exec.Command(path, words...)
			cmd.Dir = dir
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("Node %s %s: %v", v.Version, arguments, err)
			}
			var want [2]int
			if err := json.Unmarshal(out, &want); err != nil {
				t.Fatalf("Node %s %s: %q: %v", v.Version, arguments, out, err)
			}
			_, script := Split(append([]string{path}, words...))
			if at := slices.Index(words, script); script != "app.js" || at != want[0] || len(words)-at+1 != want[1] {
				t.Errorf("Node %s %s: %q is the script, at %d of %d, want at %d", v.Version, arguments, script, at,
					len(words), want[0])
			}
		}
	}
}

func TestSplit(t *testing.T) {
	for arguments, want := range map[string][2]string{
		"": {}, "node": {}, "node app.js": {"", "app.js"}, "node --inspect app.js x": {"--inspect", "app.js"},
		"node -r dd-trace/init app.js": {"-r", "app.js"}, "node --import=x app.js": {"--import=x", "app.js"},
		"node --import x app.js": {"--import", "app.js"}, "node ./a.js --test": {"", "./a.js"},
		"node -e 1":       {"-e", ""},
		"node --eval=1 x": {"--eval=1", ""},
		"node -- -odd.js": {"", "-odd.js"}, "node --test a.js": {"--test", ""}, "node --title x -": {"--title", ""},
		"node -p 1 --no-warnings x": {"-p --no-warnings", ""}, "node -p --no-warnings": {"-p --no-warnings", ""},
		"node --run start": {"--run", ""}, "node -r": {"-r", ""}, "node --": {},
	} {
		options, script := Split(strings.Fields(arguments))
		if got := strings.Join(options, " "); got != want[0] || script != want[1] {
			t.Errorf("%s: %q, %q, want %q", arguments, got, script, want)
		}
	}
}

// FuzzSplit: the script is one of the arguments, and the options are others before it.
func FuzzSplit(f *testing.F) {
	f.Add("node\x00--inspect\x00-r\x00a.js\x00app.js")
	f.Add("node\x00--\x00-odd.js")
	f.Add("node\x00-r")
	f.Add("node\x00-e\x001")
	f.Fuzz(func(t *testing.T, text string) {
		arguments := strings.Split(text, "\x00")
		options, script := Split(arguments)
		rest := arguments[1:]
		for _, word := range options {
			at := slices.Index(rest, word)
			if at < 0 {
				t.Fatalf("%q: %q", arguments, options)
			}
			rest = rest[at+1:]
		}
		if script != "" && !slices.Contains(rest, script) {
			t.Errorf("%q: %q after %q", arguments, script, options)
		}
	})
}
