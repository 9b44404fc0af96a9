package page

import (
	"bufio"
	"bytes"
	"debug/elf"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/otlp"
	"github.com/hotspan/hotspan/pprofx"
)

// commands builds hotspan and hotspan-web in a folder.
func commands(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	build := exec.Command("go", "build", "-o", dir+"/", ".", "./hotspan-web")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return dir
}

func writeOTLP(t *testing.T, snapshots ...*pprofx.Snapshot) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "x.otlp")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := otlp.NewWriter(f, otlp.Agent{})
	for _, s := range snapshots {
		if err := w.Add(s); err != nil {
			t.Fatal(err)
		}
	}
	return name
}

// web starts hotspan web and returns the address that it prints.
func web(t *testing.T, env []string, hotspan string, args ...string) string {
	t.Helper()
	c := exec.Command(hotspan, append([]string{"web"}, args...)...)
	c.Env = append(os.Environ(), env...)
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Process.Signal(syscall.SIGINT)
		io.Copy(io.Discard, out)
		if err := c.Wait(); err != nil {
			t.Errorf("after Ctrl-C: %v: %s", err, &said)
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("%v: %s", err, &said)
	}
	return strings.Fields(line)[0]
}

// reported is what hotspan report --json prints.
type reported struct {
	Samples int64
	Routes  []struct {
		Name    string
		Samples int64
	}
	Functions []struct {
		Name, File string
		Total      int64
	}
}

// shownByWeb is what web.mjs prints.
type shownByWeb struct {
	Samples     int64
	Top         []struct{ Total, Name string }
	Boxes, Cart []string
	Linked      string
	Wrong       []string
}

// TestWeb: the page and pprof show the numbers of hotspan report.
func TestWeb(t *testing.T) {
	hotspan, file := filepath.Join(commands(t), "hotspan"), writeOTLP(t, recording(t)...)
	var r reported
	text, err := exec.Command(hotspan, "report", "--json", file).Output()
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil {
		t.Fatal(err)
	}
	var got shownByWeb
	at := web(t, nil, hotspan, file)
	run(t, &got, "web.mjs", at, os.Getenv("HOTSPAN_SCREENSHOTS"))
	if len(got.Wrong) > 0 || got.Samples != r.Samples || !strings.HasPrefix(got.Linked, at+"pprof/top?") {
		t.Errorf("%d samples, want %d; linked %s; %q", got.Samples, r.Samples, got.Linked, got.Wrong)
	}
	want, top := map[string]string{}, map[string]string{}
	for _, f := range r.Functions {
		if name := strings.TrimSpace(f.Name + " " + inPprof(f.File)); name != "[no stack]" {
			want[name] = fmt.Sprint(f.Total)
		}
	}
	for _, row := range got.Top {
		top[row.Name] = row.Total
	}
	if diff := gocmp.Diff(want, top); diff != "" {
		t.Errorf("pprof's table: %s", diff)
	}
	compareBoxes(t, got.Boxes, r.Samples, &r)
	for _, route := range r.Routes {
		if route.Name == "/cart" {
			compareBoxes(t, got.Cart, route.Samples, nil)
		}
	}
}

// inPprof is the file of a function in pprof, which does not name what holds machine code there.
func inPprof(file string) string {
	if strings.HasPrefix(file, "/usr/") || file == "[kernel]" {
		return ""
	}
	return file
}

// compareBoxes compares the boxes of pprof's flame graph with a number of samples, and functions with those of a
// report: of each, those boxes count that are the only ones of their name.
func compareBoxes(t *testing.T, boxes []string, samples int64, r *reported) {
	t.Helper()
	totals := map[string][]int64{}
	for _, box := range boxes {
		parts := strings.Split(strings.TrimSuffix(box, "\n(inlined)"), " │ ")
		var n int64
		if _, err := fmt.Sscan(parts[0], &n); err != nil {
			t.Fatalf("%q: %v", box, err)
		}
		totals[parts[len(parts)-1]] = append(totals[parts[len(parts)-1]], n)
	}
	if got := totals["root"]; len(got) != 1 || got[0] != samples {
		t.Errorf("the root of the flame graph has %v samples, want %d", got, samples)
	}
	if r == nil {
		return
	}
	compared := 0
	for _, f := range r.Functions {
		if got := totals[f.Name]; len(got) == 1 && f.Name != "price" {
			compared++
			if got[0] != f.Total {
				t.Errorf("%s in the flame graph: %d samples, want %d", f.Name, got[0], f.Total)
			}
		}
	}
	if compared < 5 {
		t.Errorf("only %d functions are once in the flame graph: %q", compared, boxes)
	}
}

// TestWebRefuses: only who knows the address is answered, and by names of this machine only.
func TestWebRefuses(t *testing.T) {
	at := web(t, nil, filepath.Join(commands(t), "hotspan"), writeOTLP(t, recording(t)...), "--route", "/cart")
	u, err := url.Parse(at)
	if err != nil || u.Hostname() != "127.0.0.1" {
		t.Fatalf("%s: %v", at, err)
	}
	root := "http://" + u.Host
	for name, test := range map[string]struct {
		url, host, method string
		want              int
	}{
		"page":               {url: at, want: 200},
		"pprof":              {url: at + "pprof/top", want: 200},
		"by another port":    {url: at, host: "localhost:8080", want: 200},
		"no token":           {url: root + "/", want: 403},
		"no token for pprof": {url: root + "/pprof/top", want: 403},
		"wrong token":        {url: root + "/" + strings.Repeat("A", len(u.Path)-2) + "/", want: 403},
		"token in a query":   {url: root + "/?token=" + strings.Trim(u.Path, "/"), want: 403},
		"part of the token":  {url: at[:len(at)-3], want: 403},
		"out of it":          {url: root + "/../" + u.Path[1:] + "../", want: 403},
		"foreign host":       {url: at, host: "evil.example", want: 403},
		"foreign host, port": {url: at, host: "127.0.0.1.evil.example:" + u.Port(), want: 403},
		"nothing there":      {url: at + "x", want: 404},
		"post":               {url: at, method: "POST", want: 405},
	} {
		q, err := http.NewRequest(test.method, test.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		q.Host, q.Header = test.host, http.Header{"Origin": {"http://evil.example"}}
		answer, err := http.DefaultTransport.RoundTrip(q)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != test.want || answer.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: %d, want %d; %v", name, answer.StatusCode, test.want, answer.Header)
		}
	}
}

// TestWebSource: files that a profile names are read as the user who called sudo, and not at all as root.
func TestWebSource(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Fatal("needs root: it is who calls")
	}
	dir, hotspan := t.TempDir(), filepath.Join(commands(t), "hotspan")
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	b, err := pprofx.NewBuilder(start, period)
	if err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]os.FileMode{"open.js": 0o644, "secret.js": 0o600} {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte("const answer = 42\n"), mode); err != nil {
			t.Fatal(err)
		}
		b.Add(&pprofx.Sample{Time: start, PID: 1, TID: 1, Stop: pprofx.StopRoot, State: pprofx.StateJS,
			Stack: []*pprofx.Frame{{Function: filepath.Base(name), File: "file://" + name, Line: 1}}})
	}
	s := b.Cut(start + 1e9)
	b.Add(&pprofx.Sample{Time: start + 1e9, PID: 1, TID: 1, Stop: pprofx.StopRoot,
		Stack: []*pprofx.Frame{{Function: "device", File: "/dev/zero", Line: 1}}})
	device := b.Cut(start + 2e9)
	sudo, source := []string{"SUDO_UID=12345", "SUDO_GID=12345"}, "const answer = 42"
	for name, test := range map[string]struct {
		env   []string
		of    []*pprofx.Snapshot
		asked string
		want  bool
	}{
		"sudo":              {sudo, []*pprofx.Snapshot{s}, "source?f=open", true},
		"sudo, not allowed": {sudo, []*pprofx.Snapshot{s}, "source?f=secret", false},
		"root":              {nil, []*pprofx.Snapshot{s}, "source?f=open", false},
		"root by sudo":      {[]string{"SUDO_UID=0", "SUDO_GID=0"}, []*pprofx.Snapshot{s}, "source?f=open", false},
		"device":            {sudo, []*pprofx.Snapshot{s, device}, "source?f=open", false},
		"path of ours":      {sudo, []*pprofx.Snapshot{s}, "source?f=open&source_path=/etc", true},
	} {
		t.Run(name, func(t *testing.T) {
			answer, err := http.Get(web(t, test.env, hotspan, writeOTLP(t, test.of...)) + "pprof/" + test.asked)
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			text, err := io.ReadAll(answer.Body)
			if err != nil || strings.Contains(string(text), source) != test.want {
				t.Errorf("%v, source %v: %v %s", test.asked, test.want, err, text[len(text)*9/10:])
			}
		})
	}
}

// TestWebDisassembly: pprof shows the machine code of executables, and samples at their instructions.
func TestWebDisassembly(t *testing.T) {
	dir := commands(t)
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	file, err := elf.Open(dir + "/hotspan-web")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	symbols, err := file.Symbols()
	at := slices.IndexFunc(symbols, func(s elf.Symbol) bool { return s.Name == "main.main" })
	if err != nil || at < 0 {
		t.Fatalf("main.main is not in %s: %v", dir, err)
	}
	b, err := pprofx.NewBuilder(start, period)
	if err != nil {
		t.Fatal(err)
	}
	b.Add(&pprofx.Sample{Time: start, PID: 1, TID: 1, Stop: pprofx.StopRoot, Stack: []*pprofx.Frame{{
		Function: "main.main", Kind: pprofx.Native, Module: dir + "/hotspan-web", Address: symbols[at].Value,
	}}})
	url := web(t, []string{"SUDO_UID=12345", "SUDO_GID=12345"}, dir+"/hotspan", writeOTLP(t, b.Cut(start+1e9)))
	answer, err := http.Get(url + "pprof/disasm?si=samples&f=main.main$")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	want := regexp.MustCompile(fmt.Sprintf(`main\.main\n +1 +1 \(flat, cum\) +100%%.*\n +1 +1 +%x: `,
		symbols[at].Value))
	if err != nil || !want.Match(text) {
		_, text, _ = bytes.Cut(text, []byte("<pre>"))
		t.Errorf("%v: want %v in %.600s", err, want, text)
	}
}
