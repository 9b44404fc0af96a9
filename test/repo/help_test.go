package repo

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// help is what the command says of itself: the flags of each verb. Those of no verb have the name "".
type help map[string][]string

var (
	helpVerb = regexp.MustCompile(`(?m)^  ([a-z][a-z-]*)\b`)
	helpFlag = regexp.MustCompile(`(?m)^\s+(?:(-[a-zA-Z]), )?--(\[no-\])?([a-z][a-z-]*)`)
)

// flagsIn lists the flags of a help text, long and short.
func flagsIn(text string) []string {
	var list []string
	for _, m := range helpFlag.FindAllStringSubmatch(text, -1) {
		list = append(list, "--"+m[3])
		if m[1] != "" {
			list = append(list, m[1])
		}
		if m[2] != "" {
			list = append(list, "--no-"+m[3])
		}
	}
	return list
}

// commandHelp builds the command and asks it.
func commandHelp(t *testing.T) help {
	t.Helper()
	command := filepath.Join(t.TempDir(), "hotspan")
	build := exec.Command("go", "build", "-o", command, ".")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v: %s", err, out)
	}
	say := func(arguments ...string) string {
		out, err := exec.Command(command, arguments...).Output()
		if err != nil {
			t.Fatalf("hotspan %v: %v", arguments, err)
		}
		return string(out)
	}
	top := say("--help")
	h := help{"": flagsIn(top)}
	_, commands, _ := strings.Cut(top, "\nCommands:\n")
	for _, m := range helpVerb.FindAllStringSubmatch(commands, -1) {
		h[m[1]] = flagsIn(say(m[1], "--help"))
	}
	if len(h) < 3 || len(h["record"]) < 10 {
		t.Fatalf("the help lists %v: the rule checks nothing", h)
	}
	return h
}

// otherFlags are flags in the documents that are other programs'. They are hotspan's in no command of its own.
var otherFlags = map[string]string{
	"--abort-on-uncaught-exception":      "Node",
	"--cpu-prof":                         "Node",
	"--experimental-async-context-frame": "Node",
	"--experimental-loader":              "Node",
	"--import":                           "Node",
	"--no-async-context-frame":           "Node",
	"--use-largepages":                   "Node",
	"--feature-gates":                    "the Collector",
	"--security-opt":                     "Docker",
}

// sentences begin messages that the documents quote, not commands.
var sentences = []string{"hotspan needs"}

var (
	// A command of hotspan's at the start of a line: what follows is a verb or a flag.
	atStart = regexp.MustCompile(`^(?:sudo )?(?:\S*/)?hotspan\s`)
	isVerb  = regexp.MustCompile(`^[a-z][a-z-]*$`)
	// A command of hotspan's in a line, after sudo, a path to it, or the flags of what starts it.
	ownCommand = regexp.MustCompile(`(?:^|[\s/"'` + "`" + `])hotspan((?:\s+|$).*)`)
	anyFlag    = regexp.MustCompile(`^--?[a-zA-Z][a-z-]*`)
	// Programs for which hotspan is the name of a service, not a command.
	otherProgram = regexp.MustCompile(`^(?:sudo )?(?:journalctl|systemctl) `)
	// A line that is continued on the next one, and what parts a command from words that explain it.
	continued = regexp.MustCompile(`[ \t]*\\\n\s*`)
	explained = regexp.MustCompile(`\s{2,}`)
)

// commandLines lists what a document shows in code: the lines of code blocks, of those with prompts what is behind one,
// and code in backquotes.
func commandLines(text string) []string {
	var list []string
	text = continued.ReplaceAllString(text, " ")
	for i, block := range strings.Split("\n"+text, "\n```") {
		if i%2 == 0 {
			for _, m := range codeSpan.FindAllString(block, -1) {
				list = append(list, strings.Trim(m, "`"))
			}
			continue
		}
		lines := strings.Split(block, "\n")[1:] // the first has the language
		prompts := slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, "$ ") })
		for _, l := range lines {
			if command, ok := strings.CutPrefix(l, "$ "); ok || !prompts {
				list = append(list, explained.Split(strings.TrimSpace(command), 2)[0])
			}
		}
	}
	return list
}

// unknownIn lists what in a line of code is said of hotspan and not in its help: a verb, or a flag.
func (h help) unknownIn(line string) []string {
	m := ownCommand.FindStringSubmatch(line)
	if otherProgram.MatchString(line) {
		return nil
	}
	if m == nil {
		return h.unknownFlags(strings.Fields(line))
	}
	words := strings.Fields(m[1])
	if len(words) == 0 {
		return nil
	}
	verb := ""
	if !strings.HasPrefix(words[0], "-") {
		verb, words = words[0], words[1:]
	}
	flags, ok := h[verb]
	if !ok {
		if !isVerb.MatchString(verb) || !atStart.MatchString(line) || slices.Contains(sentences, "hotspan "+verb) {
			return nil // hotspan VERB, a message
		}
		return []string{"hotspan " + verb}
	}
	var unknown []string
	for _, w := range words {
		if w == "--" || strings.HasPrefix(w, "#") || w == "|" || w == "&&" || w == ";" {
			break // another command's, or a comment
		}
		if f := anyFlag.FindString(w); f != "" && !slices.Contains(flags, f) {
			unknown = append(unknown, strings.TrimSpace("hotspan "+verb)+" "+f)
		}
	}
	return unknown
}

// unknownFlags judges a piece of code that begins with a flag: one of any verb.
func (h help) unknownFlags(words []string) []string {
	if len(words) == 0 || !strings.HasPrefix(words[0], "--") {
		return nil
	}
	var unknown []string
	for _, w := range words {
		f := anyFlag.FindString(w)
		if !strings.HasPrefix(f, "--") || otherFlags[f] != "" {
			continue
		}
		known := false
		for _, flags := range h {
			known = known || slices.Contains(flags, f)
		}
		if !known {
			unknown = append(unknown, f)
		}
	}
	return unknown
}

// TestDocumentCommands: the commands that the documents show are hotspan's, as it is now.
func TestDocumentCommands(t *testing.T) {
	h := commandHelp(t)
	found := 0
	for _, name := range documents(t) {
		text := string(read(t, name))
		for _, line := range commandLines(text) {
			if strings.Contains(line, "hotspan record") {
				found++
			}
			for _, what := range h.unknownIn(line) {
				t.Errorf("%s shows %q, which is not in hotspan's help: %s", name, what, line)
			}
		}
	}
	if found == 0 {
		t.Error("no command found: the rule checks nothing")
	}
}

// TestUnknownIn: the rule can be broken, and not by what other programs are told.
func TestUnknownIn(t *testing.T) {
	h := help{
		"": flagsIn("Flags:\n  -h, --help    Show help.\n      --version    Print it.\n"),
		"record": flagsIn("  -p, --pid=PID,...    Process.\n      --[no-]source-maps    Lines.\n" +
			"      --label=NAME=PATH    such as --nothing\n"),
		"doctor": nil,
	}
	block := func(s string) string { return "x\n```\n" + s + "\n```\n" }
	for text, unknown := range map[string]bool{
		block("hotspan record -p 1 --label a=b --no-source-maps"): false,
		block("sudo bin/hotspan record -p 1 --labels a"):          true,
		block("hotspan record -p 1 \\\n  --snapshot 10s"):         true,
		block("hotspan record --nothing"):                         true,
		block("hotspan recrod"):                                   true,
		block("hotspan record -q"):                                true,
		block("hotspan doctor -p 1"):                              true,
		block("hotspan --version"):                                false,
		block("hotspan --revision"):                               true,
		block("hotspan record -- node --cpu-prof x.js"):           false,
		block("docker run --privileged x hotspan record -p 1"):    false,
		block("docker run --privileged x hotspan record --all"):   true,
		block("$ hotspan record\nhotspan itself: 1 s CPU"):        false,
		block("make bench    what hotspan costs"):                 false,
		block("hotspan record -p 1    a process; not --every"):    false,
		block("sudo journalctl -u hotspan -f"):                    false,
		block("/usr/bin/hotspan contexts -p 1"):                   true,
		block("--labels trace"):                                   true,
		block("--label a=b --label c=d"):                          false,
		block("go test ./test/e2e -run X --all"):                  false,
		"`hotspan record --label`":                                false,
		"`hotspan contexts`":                                      true,
		"see `--label` and `--cpu-prof`":                          false,
		"see `--label-style`":                                     true,
		"hotspan contexts itself":                                 false,
		"`hotspan itself: 1 s CPU`":                               false,
		"`hotspan needs Linux 5.17`":                              false,
		"`no such process: run hotspan as root`":                  false,
		block("docker run x hotspan record --every 1s"):           true,
		"`hotspan VERB`, `hotspan`":                               false,
	} {
		got := false
		for _, line := range commandLines(text) {
			got = got || len(h.unknownIn(line)) > 0
		}
		if got != unknown {
			t.Errorf("%q: unknown %v, want %v", text, got, unknown)
		}
	}
}
