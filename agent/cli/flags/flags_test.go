package flags

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// upper reads itself, in upper case.
type upper string

func (u *upper) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		return errors.New("nothing")
	}
	*u = upper(strings.ToUpper(string(text)))
	return nil
}

// kept keeps what its flag is set to.
type kept []any

func (k *kept) Decode(value any) error {
	*k = append(*k, value)
	return nil
}

type shared struct {
	Verbose bool     `short:"v" help:"Say more."`
	Name    []string `sep:"none" help:"Names." placeholder:"NAME"`
}

type play struct {
	shared
	Rate      *int              `short:"F" help:"How often (${often})."`
	Every     time.Duration     `default:"10s" help:"Interval (${default})." placeholder:"TIME"`
	SourceMap bool              `default:"true" negatable:"" help:"Read maps."`
	Kinds     []upper           `help:"Kinds."`
	Share     []float64         `help:"Shares."`
	Moved     map[string]string `help:"What moved." placeholder:"OLD=NEW"`
	Per       string            `enum:"second,cpu" default:"second" help:"By what."`
	Port      uint16            `name:"tcp-port" help:"Port."`
	To        kept              `help:"Where to."`
	Output    string            `short:"o" help:"File." placeholder:"FILE"`
	In        string            `arg:"" help:"What to play."`
	More      []string          `arg:"" optional:"" help:"More of it."`
}

type run struct {
	shared
	PID     int      `short:"p" required:"" help:"Process." placeholder:"PID"`
	Command []string `arg:"" optional:"" passthrough:"" help:"What to run."`
}

type verbs struct {
	Play play `cmd:"" help:"Play it."`
	Run  run  `cmd:"" help:"Run it."`
}

func app(v *verbs) *App {
	return &App{Name: "box", About: "A box.", Verbs: v, Vars: map[string]string{"often": "99"}, Version: "box 1",
		Columns: 60}
}

// TestParse: what a command line sets, in any order and form.
func TestParse(t *testing.T) {
	preset := func(change func(*play)) play {
		p := play{Every: 10 * time.Second, SourceMap: true, Per: "second", In: "a"}
		change(&p)
		return p
	}
	for line, want := range map[string]play{
		"play a":                         preset(func(*play) {}),
		"play a b c":                     preset(func(p *play) { p.More = []string{"b", "c"} }),
		"play -v a -- -v":                preset(func(p *play) { p.Verbose, p.More = true, []string{"-v"} }),
		"play a -F7":                     preset(func(p *play) { p.Rate = new(7) }),
		"play -F 7 a":                    preset(func(p *play) { p.Rate = new(7) }),
		"play a --rate=-7":               preset(func(p *play) { p.Rate = new(-7) }),
		"play a --rate -7":               preset(func(p *play) { p.Rate = new(-7) }),
		"play --every 1m30s a":           preset(func(p *play) { p.Every = 90 * time.Second }),
		"play a --no-source-map":         preset(func(p *play) { p.SourceMap = false }),
		"play a --source-map=no":         preset(func(p *play) { p.SourceMap = false }),
		"play a --name=x,y --name z":     preset(func(p *play) { p.Name = []string{"x,y", "z"} }),
		"play a --kinds x,y --kinds=z":   preset(func(p *play) { p.Kinds = []upper{"X", "Y", "Z"} }),
		"play a --share 1,2.5":           preset(func(p *play) { p.Share = []float64{1, 2.5} }),
		"play a --moved a=b;c=d=e":       preset(func(p *play) { p.Moved = map[string]string{"a": "b", "c": "d=e"} }),
		"play a --per cpu":               preset(func(p *play) { p.Per = "cpu" }),
		"play a --tcp-port 65535":        preset(func(p *play) { p.Port = 65535 }),
		"play a --to x,y --to=z":         preset(func(p *play) { p.To = kept{"x,y", "z"} }),
		"play a -vo f":                   preset(func(p *play) { p.Verbose, p.Output = true, "f" }),
		"play a -of --output=g":          preset(func(p *play) { p.Output = "g" }),
		"play a --output=-x --output -y": preset(func(p *play) { p.Output = "-y" }),
	} {
		var got verbs
		read, err := app(&got).Parse(strings.Fields(line), io.Discard)
		if err != nil || read.Name != "play" || read.Verb != &got.Play {
			t.Errorf("%s: %+v, %v", line, read, err)
			continue
		}
		if diff := cmp.Diff(want, got.Play, cmp.AllowUnexported(play{})); diff != "" {
			t.Errorf("%s (-want +got): %s", line, diff)
		}
	}
}

// TestPassthrough: a command keeps its flags, whether -- stands before it or not.
func TestPassthrough(t *testing.T) {
	for line, want := range map[string][]string{
		"run -p 1":               nil,
		"run -p 1 ls -p 2 -- x":  {"ls", "-p", "2", "--", "x"},
		"run -p 1 -- ls --pid=2": {"--", "ls", "--pid=2"},
		"run -p 1 --":            {"--"},
		"run -p 1 -- -- x":       {"--", "--", "x"},
	} {
		var got verbs
		_, err := app(&got).Parse(strings.Fields(line), io.Discard)
		if diff := cmp.Diff(want, got.Run.Command); diff != "" || err != nil || got.Run.PID != 1 {
			t.Errorf("%s: %v, pid %d: %s", line, err, got.Run.PID, diff)
		}
	}
}

// TestWrong: what is wrong with a command line, in words, and of which verb.
func TestWrong(t *testing.T) {
	for line, want := range map[string]string{
		"":                        "say what to do: play, run",
		"pley":                    `there is no command pley, did you mean "play"?`,
		"pley -o b a":             `there is no command pley, did you mean "play"?`,
		"pley a --every 1s":       `there is no command pley, did you mean "play"?`,
		"dance":                   "there is no command dance",
		"fin":                     "there is no command fin",
		"play":                    "missing arguments: <in>",
		"run 12":                  `unexpected argument 12, did you mean "-p 12"?`,
		"help pley":               `there is no command pley, did you mean "play"?`,
		"play a --evrey 1s":       `unknown flag --evrey, did you mean "--every"?`,
		"play a --sou":            `unknown flag --sou, did you mean "--source-map"?`,
		"play a --nonsense":       "unknown flag --nonsense",
		"play a -vz":              "unknown flag -z",
		"play a --no-verbose":     "unknown flag --no-verbose",
		"--every 1s":              "unknown flag --every",
		"play a --every":          "--every: missing value, expecting TIME",
		"play a -o":               "--output: missing value, expecting FILE",
		"play a -o --verbose":     "--output: missing value, expecting FILE but got --verbose",
		"play a -o -v":            "--output: missing value, expecting FILE but got -v",
		"play a -o --every=1s":    "--output: missing value, expecting FILE but got --every=1s",
		"play a -o -- b":          "--output: missing value, expecting FILE but got --",
		"play a --every 1":        `--every: want a time with its unit, such as 500ms, 10s or 2h, not "1"`,
		"play a --rate x":         `--rate: want a whole number, not "x"`,
		"play a --tcp-port 65536": "--tcp-port: 65536 is out of range",
		"play a --share 1,x":      `--share: want a number, not "x"`,
		"play a --moved x":        `--moved: want KEY=VALUE, not "x"`,
		"play a --per call":       `--per: want one of second, cpu, not "call"`,
		"play a -v=2":             `--verbose: want true or false, not "2"`,
		"play a --kinds=":         "--kinds: nothing",
		"run":                     "missing flags: --pid=PID",
	} {
		read, err := app(new(verbs)).Parse(strings.Fields(line), io.Discard)
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
		of, _, _ := strings.Cut(line, " ")
		if known := of == "play" || of == "run"; known != (read != nil) || known && read.Name != of {
			t.Errorf("%s: the line is %+v", line, read)
		}
	}
}

// TestSet: values from elsewhere, and which flags the line had.
func TestSet(t *testing.T) {
	var got verbs
	read, err := app(&got).Parse([]string{"play", "a", "--no-source-map", "-F", "3"}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range read.Flags() {
		if given := name == "source-map" || name == "rate"; read.Given(name) != given {
			t.Errorf("--%s is given: %v, want %v", name, !given, given)
		}
	}
	for name, value := range map[string]any{
		"every": "1s", "rate": 5, "share": []any{1, "2", 2.5}, "name": []any{"x", "y"}, "source-map": true,
		"tcp-port": nil, "to": map[string]any{"a": 1}, "verbose": "yes", "output": "f",
	} {
		if err := read.Set(name, value); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	want := play{
		shared: shared{Verbose: true, Name: []string{"x", "y"}}, Rate: new(5), Every: time.Second, SourceMap: true,
		Share: []float64{1, 2, 2.5}, Per: "second", To: kept{map[string]any{"a": 1}}, Output: "f", In: "a",
	}
	if diff := cmp.Diff(want, got.Play, cmp.AllowUnexported(play{})); diff != "" {
		t.Errorf("(-want +got): %s", diff)
	}
	for name, value := range map[string]any{
		"output": 12e4, "name": []any{7}, "rate": []any{1}, "every": 5, "per": "x", "verbose": map[string]any{},
		"nothing": 1,
	} {
		if err := read.Set(name, value); err == nil {
			t.Errorf("%s: %v was taken", name, value)
		}
	}
}

// TestPages: the help has all that there is, within the columns; the version is one line.
func TestPages(t *testing.T) {
	for line, want := range map[string]string{
		"--help": `Usage: box <command> [flags]

A box.

Commands:
  play  Play it.
  run   Run it.

Flags:
  -h, --help     Show this help.
      --version  Print the version.

"box <command> --help" shows the help of a command.
`,
		"run -h": `Usage: box run --pid=PID [flags] [-- <command> ...]

Run it.

Arguments:
  [-- <command> ...]  What to run.

Flags:
  -h, --help       Show this help.
  -v, --verbose    Say more.
      --name=NAME  Names.
  -p, --pid=PID    Process.
`,
		"help play": `Usage: box play [flags] <in> [<more> ...]

Play it.

Arguments:
  <in>          What to play.
  [<more> ...]  More of it.

Flags:
  -h, --help               Show this help.
  -v, --verbose            Say more.
      --name=NAME          Names.
  -F, --rate=RATE          How often (99).
      --every=TIME         Interval (10s).
      --[no-]source-map    Read maps.
      --kinds=KINDS,…      Kinds.
      --share=SHARE,…      Shares.
      --moved=OLD=NEW      What moved.
      --per=second|cpu     By what.
      --tcp-port=TCP-PORT  Port.
      --to=TO              Where to.
  -o, --output=FILE        File.
`,
		"--version":      "box 1\n",
		"play --version": "box 1\n",
	} {
		var out strings.Builder
		read, err := app(new(verbs)).Parse(strings.Fields(line), &out)
		if err != nil || read != nil {
			t.Errorf("%s: %v, %v", line, read, err)
		}
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("%s (-want +got): %s", line, diff)
		}
	}
}

// TestWrap: lines are as long as they may be, and no longer unless one word is.
func TestWrap(t *testing.T) {
	got := wrap("one two three … four five four-and-twenty six", 9)
	if diff := cmp.Diff([]string{"one two", "three …", "four five", "four-and-twenty", "six"}, got); diff != "" {
		t.Error(diff)
	}
}
