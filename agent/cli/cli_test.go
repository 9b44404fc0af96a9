package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/agent/cli/daemon"
	"github.com/hotspan/hotspan/agent/cli/exit"
	"github.com/hotspan/hotspan/agent/cli/recording/recordingtest"
)

// Each of these is refused before anything is loaded into the kernel.
func TestWrongUsage(t *testing.T) {
	for _, c := range []struct {
		args string
		want string // after "hotspan: "
	}{
		{"", "say what to do: record, "},
		{"recor", `there is no command recor, did you mean "record"?`},
		{"record", "say what to profile: -p PID, --name REGEX, -a, or -- COMMAND"},
		{"record -d 1s", "say what to profile"},
		{"record -p", "--pid: missing value"},
		{"record -p x", "x"},
		{"record -p 1 -F 0", "rate 0: at least 1 sample a second"},
		{"record -p 1 --rate=-5", "rate -5: at least 1 sample a second"},
		{"record -p 1 -F 999999999", "rate 999999999: this kernel allows at most"},
		{"record -p 1 -d 10", "--duration: want a time with its unit"},
		{"record -p 1 --duration=-1s", "-d -1s: more than 0"},
		{"record -p 1 -d 0", "-d 0s: more than 0; without -d it records until Ctrl-C"},
		{"stream -d 0s", "-d 0s: more than 0; without -d it streams until Ctrl-C"},
		{"contexts -p 1 -d 0", "-d 0s: more than 0"},
		{"record -p 1 --probe stall --probe gc", "probe stall: it goes alone"},
		{"record -p 1 --probe stall:20ms", "probe stall:20ms: at least 50ms"},
		{"record -p 1 --probe stall:fast", "probe stall:fast: want stall or stall:TIME"},
		{"record -p 1 --probe stall,every=2", "probe stall,every=2: want stall or stall:TIME"},
		{"record -p 1 --snapshot-every=-1s", "a time must not be negative"},
		{"record -p 1 --snapshot-every 9ms", "--snapshot-every 9ms: at least 10ms"},
		{"record -p 1 -F 10001", "rate 10001: at most 10000"},
		{"record -p 1 --ring-buffer 3", "--ring-buffer 3: a power of two from 1 to 1024"},
		{"record -p 1 --ring-buffer 0", "--ring-buffer 0: a power of two"},
		{"record -p 1 --ring-buffer 2048", "--ring-buffer 2048: a power of two"},
		{"record -p 1 --off-cpu -F 99", "-F: --off-cpu has no timer, --wall has"},
		{"record -p 1 --min-wait 1ms", "--min-wait goes with --off-cpu or --wall"},
		{"record -p 1 --probe-limit 1000", "--probe-limit goes with --probe, --off-cpu or --wall"},
		{"record --name (", "--name: error parsing regexp"},
		{"record -p 1 --label tenant", `label "tenant": want NAME=PATH`},
		{"record -p 1 --label a=b..c", "an empty property name"},
		{"record -p 1 -o x.zip", "x.zip: the extension names no format (known: .pb.gz"},
		{"record -p 1 -o x", "x: the extension names no format"},
		{"record -p 1 -o ..", ".. is a directory: name a file in it, such as ../cpu.otlp"},
		{"record -p 1 --format svg", `format "svg" is unknown (known: pprof collapsed perf-script jsonl otlp html ` +
			"speedscope cpuprofile firefox)"},
		{"record -p 1 --snapshot-every 1s -o x.pb.gz", "-o x.pb.gz: with --snapshot-every the name needs"},
		{"record -p 1 --otlp collector:4317", `otlp endpoint "collector:4317": want http://HOST:4317 or https://`},
		{"record -p 1 --otlp http://collector/v1", "gRPC takes a host and a port, no path"},
		{"report --state foo x.otlp", `--state: State "foo" is unknown (known: other js gc compiler external idle)`},
		{"report --measure foo x.otlp", `--measure: Measure "foo" is unknown (known: cpu hits off_cpu ` +
			"bytes value wall)"},
		{"report --since 1h --until 2h x.otlp", "--since 1h0m0s, --until 2h0m0s: nothing is between them"},
		{"layout", "missing arguments: <node-binary>"},
		{"top -p 1 -i 1ms", "--interval 1ms, --window 10s: at least 10ms and 500ms"},
		{"top -p 1 --window 100ms", "--interval 1s, --window 100ms: at least"},
		{"top -p 1 --count=-1", "-n -1, --lines 12: at least 1"},
		{"top -p 1 --by tenant", `no table "tenant": function, route, trace, thread`},
		{"top -p 1 -F 0", "rate 0: at least 1 sample a second"},
		{"wait -p 1", "say what to wait for: --for-samples N, --for-label NAME=VALUE or --for-stall TIME"},
		{"wait -p 1 --for-samples=-1", "--for-samples -1: at least 1"},
		{"wait -p 1 --for-stall 49ms", "--for-stall 49ms: at least 50ms"},
		{"wait -p 1 --for-stall=-1s", "--for-stall -1s: at least 50ms"},
		{"wait -p 1 --for-stall 1s --for-samples 1", "either --for-stall, or --for-samples and --for-label"},
		{"wait -p 1 --for-stall 1s --for-label a=b", "either --for-stall, or --for-samples and --for-label"},
		{"wait -p 1 --for-label =b", `--for-label "=b": want NAME=VALUE, or NAME for any value`},
		{"wait -p 1 --for-samples 1 --timeout=-1s", "--timeout -1s: less than 0"},
		{"wait -p 1 --for-samples 1 -F 0", "rate 0: at least 1 sample a second"},
		{"wait --for-samples 1 -F 9", "--rate: an agent samples as its own settings say"},
		{"wait -p 1 --for-samples 1 --socket x", "--socket: with processes to profile there is no agent to ask"},
		{"dump", "missing flags: --pid=PID"},
		{"dump -p 1 --label tenant", `label "tenant": want NAME=PATH`},
		{"dump -p 1 --labels some", "some"},
	} {
		var stdout, stderr bytes.Buffer
		code := Main(strings.Fields(c.args), &stdout, &stderr)
		text := stderr.String()
		usage := "hotspan --help"
		if verb, _, _ := strings.Cut(c.args, " "); verb != "" && verb != "recor" {
			usage = "hotspan " + verb + " --help"
		}
		if code != 2 || !strings.HasPrefix(text, "hotspan: ") || !strings.Contains(text, c.want) ||
			!strings.HasSuffix(text, "\nTry '"+usage+"'.\n") {
			t.Errorf("%q: exit code %d, %q, want 2 and %q", c.args, code, text, c.want)
		}
		if stdout.Len() != 0 {
			t.Errorf("%q: standard output has %q", c.args, stdout.String())
		}
	}
}

func TestFailuresThatAreNotUsage(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "no", "folder", "x.pb.gz")
	file := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(file, []byte("no program"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"record", "-p", "1", "-o", missing},
			"output: no file can be made in " + filepath.Dir(missing) + ": no such"},
		{[]string{"record", "-p", "1", "-o", file + "/x.pb.gz"}, "output: no file can be made in " + file + ": not a"},
		{[]string{"query", "--store", file + "2"}, "no agent has a store in " + file + "2: "},
		{[]string{"probes", "-p", "4194304"}, "process 4194304: there is no such process\n"}, // more than a pid is
		{[]string{"probes", "-p", fmt.Sprint(os.Getpid()), "handleRequest*x"},
			`: no probe has "handleRequest*x" in its name; functions of JavaScript have none`},
		{[]string{"layout", file + "2"}, "no such file"},
		{[]string{"layout", file}, file + ": not a V8 binary"},
	} {
		var stdout, stderr bytes.Buffer
		code := Main(c.args, &stdout, &stderr)
		text := stderr.String()
		if code != 1 || !strings.HasPrefix(text, "hotspan: ") || !strings.Contains(text, c.want) ||
			strings.Contains(text, "--help") {
			t.Errorf("%v: exit code %d, %q, want 1 and %q", c.args, code, text, c.want)
		}
	}
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"record", "--help"}} {
		var stdout, stderr bytes.Buffer
		code := Main(args, &stdout, &stderr)
		if code != 0 || stderr.Len() != 0 || !strings.Contains(stdout.String(), "Usage: hotspan") {
			t.Errorf("%v: exit code %d, %q, %q", args, code, stdout.String(), stderr.String())
		}
	}
}

// Each verb can run, and the help has it in one line of a terminal.
func TestVerbs(t *testing.T) {
	t.Setenv("COLUMNS", "80")
	var stdout bytes.Buffer
	Main([]string{"--help"}, &stdout, &stdout)
	all := reflect.TypeFor[commands]()
	for i := range all.NumField() {
		f := all.Field(i)
		line := "(?m)^  " + strings.ToLower(f.Name) + " +" + regexp.QuoteMeta(f.Tag.Get("help")) + "$"
		if !regexp.MustCompile(line).MatchString(stdout.String()) {
			t.Errorf("%s is not in one line of %s", f.Name, &stdout)
		}
		switch v := reflect.New(f.Type).Interface().(type) {
		case *daemon.Verb, *completionCmd, verb:
		default:
			t.Errorf("%T has no Run(io.Writer, console)", v)
		}
	}
}

func TestVersion(t *testing.T) {
	var stdout, stderr bytes.Buffer
	code := Main([]string{"--version"}, &stdout, &stderr)
	want := regexp.MustCompile(`^hotspan devel \(BPF object [0-9a-f]{12}\)\n$`)
	if code != 0 || stderr.Len() != 0 || !want.MatchString(stdout.String()) {
		t.Errorf("exit code %d, %q, %q", code, stdout.String(), stderr.String())
	}
}

// TestEscapingErrors: an error may have a path that a process chose.
func TestEscapingErrors(t *testing.T) {
	var out bytes.Buffer
	const hostile = "a\x1b]0;b\x07\r\x7f\u009b31m\u202ec"
	if code := Main([]string{"report", "/no/" + hostile}, &out, &out); code != exit.Failed ||
		bytes.ContainsAny(out.Bytes(), "\x1b\x07\r\u009b\u202e") {
		t.Errorf("%d: %q", code, &out)
	}
}

// TestFullOutput: who redirects a report to a disk that is full has none, and the exit code says so.
func TestFullOutput(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full to stand for a full disk")
	}
	defer full.Close()
	for _, args := range [][]string{{"report", recordingtest.Ranking(t)}, {"--help"}} {
		var stderr bytes.Buffer
		code := Main(args, full, &stderr)
		if text := stderr.String(); code != exit.Failed || !strings.Contains(text, "no space left on device") {
			t.Errorf("%v: exit code %d, %q", args, code, text)
		}
	}
}
