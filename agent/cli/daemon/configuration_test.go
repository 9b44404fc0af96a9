package daemon_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/agent/cli"
)

// checkConfig runs hotspan agent --check-config with a configuration file of the given text, if there is one.
func checkConfig(t *testing.T, text string, args ...string) (code int, stderr string) {
	t.Helper()
	args = append([]string{"agent", "--check-config"}, args...)
	if text != "" {
		file := filepath.Join(t.TempDir(), "agent.yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, "--config", file)
	}
	var b bytes.Buffer
	code = cli.Main(args, &b, &b)
	return code, b.String()
}

func TestAgentConfiguration(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		args []string
		code int
		says string
	}{
		"nothing": {"", nil, 0, "0 destinations"},
		"all": {"rate: 49\nperiod: 5s\nname: web\nlabel: [tenant=user.tenant]\nstore-mib: 10\n" +
			"source-maps: false\nto:\n- http://a:4317\n" +
			"- {url: 'https://b', headers: 'x-key=a%20b', labels: 'http.route trace_id'}\n", nil, 0,
			"2 destinations"},
		"flag over file": {"rate: -5\n", []string{"--rate", "19"}, 0, "0 destinations"},
		"empty file":     {"# nothing\n", nil, 0, "0 destinations"},
		"a number":       {"container: 12e4\n", nil, 2, "--container, from "},
		"a bare time":    {"period: 5\n", nil, 2, "want a time with its unit"},
		"no scalar":      {"rate: {a: 1}\n", nil, 2, "want a value"},
		"two rates":      {"rate: [1, 2]\n", nil, 2, "want one value"},
		"unknown key":    {"ratte: 5\n", nil, 2, `.yaml: key "ratte" is unknown, did you mean "rate"?`},
		"a key twice": {"rate: 5\nrate: 6\n", nil, 2,
			`.yaml: yaml: line 2: mapping key "rate" already defined at line 1`},
		"a verb's key": {"duration: 5s\n", nil, 2, `key "duration" is unknown`},
		"rate":         {"rate: 0\n", nil, 2, "rate 0: at least 1"},
		"high rate":    {"rate: 20000\n", nil, 2, "rate 20000: "},
		"period":       {"period: 5ms\n", nil, 2, "hotspan: period 5ms: at least 100ms\n"},
		"store":        {"store-mib: 0\n", nil, 2, "hotspan: store-mib 0: at least 1\n"},
		"age":          {"store-age: -1s\n", nil, 2, "hotspan: store-age -1s: at least 0, which is for ever\n"},
		"name":         {"name: '('\n", nil, 2, "missing closing )"},
		"selection": {"name: [web, api]\ncgroup: /a.slice\ncontainer: 12ab\nenv: [NODE_ENV=a.b|c, X]\n", nil, 0,
			"0 destinations"},
		"limits":    {"cpu-percent: 0.5\nmemory-mib: 64\n", nil, 0, "0 destinations"},
		"no limits": {"cpu-percent: 0\nmemory-mib: 0\n", nil, 0, "0 destinations"},
		"memory":    {"memory-mib: 8\n", nil, 2, "hotspan: memory-mib 8: at least 32, or 0 for any\n"},
		"CPU":       {"cpu-percent: -1\n", nil, 2, "hotspan: cpu-percent -1: at least 0, which is for any\n"},
		"group":     {"cgroup: '['\n", nil, 2, "want a path, or the end of one"},
		"container": {"container: web\n", nil, 2, "want the beginning of an id"},
		"variable":  {"env: '=x'\n", nil, 2, "want NAME or NAME=REGEX"},
		"value":     {"env: 'A=('\n", nil, 2, "missing closing )"},
		"rule":      {"label: ['=']\n", nil, 2, "="},
		"no yaml":   {"a: [\n", nil, 2, "yaml"},
		"no file":   {"", []string{"--config", "/none.yaml"}, 2, "/none.yaml"},
		"scheme":    {"", []string{"--to", "ftp://x"}, 2, "want http://HOST:PORT"},
		"path":      {"", []string{"--to", "/tmp/%t.otlp"}, 2, `"/tmp/%t.otlp": want http://HOST:PORT, pyroscope+`},
		"no time": {"", []string{"--to", "file:///a/b.pb.gz"}, 2,
			"%t is when a snapshot begins"},
		"no value of profile-per": {"", []string{"--to", "file:///a/%t.jsonl,profile-per=http.route"}, 2,
			"belong together"},
		"profile-per":   {"", []string{"--to", "file:///a/%v-%t.jsonl,profile-per=http.route"}, 0, "1 destinations"},
		"format":        {"", []string{"--to", "file:///a/%t.foo"}, 2, "the extension names no format"},
		"no value":      {"", []string{"--to", "http://a,b"}, 2, "part 1 after the URL: want KEY=VALUE"},
		"unknown value": {"", []string{"--to", "http://a,b=c"}, 2, `key "b" is unknown (known: url ca cert`},
		"twice": {"", []string{"--to", "http://a:1", "--to", "http://a:1"}, 2,
			`two destinations called "a-1"`},
		"twice, named": {"", []string{"--to", "http://a:1,name=x", "--to", "http://a:1"}, 0, "2 destinations"},
		"compression":  {"", []string{"--to", "http://a,compression=br"}, 2, "gzip, zstd or none"},
		"protocol":     {"", []string{"--to", "http://a,protocol=json"}, 2, `"json" is neither grpc nor http/protobuf`},
		"timeout":      {"", []string{"--to", "http://a,timeout=5"}, 2, "missing unit"},
		"store path":   {"store: kept\n", nil, 2, "hotspan: --store kept: not an absolute path\n"},
		"all hosts":    {"http: ':7071'\n", nil, 2, "hotspan: --http: :7071: want an address on loopback"},
		"no port":      {"http: 127.0.0.1\n", nil, 2, "hotspan: --http: address 127.0.0.1: missing port"},
		"no group":     {"socket-group: nobody-has-it\n", nil, 2, "hotspan: --socket-group: "},
		"no cert": {"", []string{"--listen", "a:1", "--listen-cert", "/none", "--listen-key", "/none",
			"--token-file", "configuration_test.go"}, 2, "hotspan: --listen-cert, --listen-key: open /none"},
		"half a pair": {"", []string{"--to", "https://a,cert=x"}, 2, "needs both cert and key"},
		"no CA":       {"", []string{"--to", "https://a,ca=/none"}, 2, "open /none"},
	} {
		t.Run(name, func(t *testing.T) {
			code, stderr := checkConfig(t, test.text, test.args...)
			if code != test.code || !strings.Contains(stderr, test.says) {
				t.Errorf("code %d: %s, want %d: %s", code, stderr, test.code, test.says)
			}
		})
	}
}

// What is secret in a destination is in no message.
func TestSecretsInMessages(t *testing.T) {
	for _, to := range []string{
		"http://u:hunter2@h:4317", "http://u:hunter2@h:port", "ftp://u:hunter2@h", "pyroscope+http://u:hunter2@h,x=y",
		"http://u:hunter2%zz@h", "https://u:hunter2@h,timeout=5", "http://h,headers=authorization=Bearer hunter2",
		"http://h,headers=authorization=hunter2%", "pyroscope+http://u:hunter2@h,labels=a,labels",
	} {
		code, stderr := checkConfig(t, "", "--to", to)
		if code != 2 || strings.Contains(stderr, "hunter2") {
			t.Errorf("%s: code %d, %s", to, code, stderr)
		}
	}
	code, stderr := checkConfig(t, "to: ['pyroscope+http://u:hunter2@h', 'pyroscope+http://u:hunter2@h']\n")
	if code != 2 || strings.Contains(stderr, "hunter2") || !strings.Contains(stderr, "two destinations") {
		t.Errorf("code %d, %s", code, stderr)
	}
}
