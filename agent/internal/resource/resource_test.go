package resource

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/test/slowfiles"
)

// service starts a process whose arguments are those of a Node process with a script in an application's folder.
func service(t *testing.T, packages map[string]string, env ...string) int {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "app/src"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range packages {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "app/src/server.js"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return start(t, filepath.Join(dir, "app"), "src/server.js", env...)
}

// start starts a process in a folder with the arguments of a Node process with a script.
func start(t *testing.T, dir, script string, env ...string) int {
	t.Helper()
	cmd := exec.Command("tail", "-f", script)
	cmd.Dir, cmd.Env = dir, env
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	for len(procs.EnvironmentOf(cmd.Process.Pid)) == 0 { // execve goes on after Start has returned
		time.Sleep(time.Millisecond)
	}
	return cmd.Process.Pid
}

func TestOf(t *testing.T) {
	shop := map[string]string{"app/package.json": `{"name": "@acme/shop"}`}
	for name, test := range map[string]struct {
		packages map[string]string
		env      []string
		want     pprofx.Process
	}{
		"nothing":      {},
		"package.json": {shop, nil, pprofx.Process{Service: "@acme/shop"}},
		"the nearest that has a name": {map[string]string{
			"package.json": `{"name": "all"}`, "app/package.json": `{"name": "one"}`,
			"app/src/package.json": `{"type": "module"}`,
		}, nil, pprofx.Process{Service: "one"}},
		"not JSON":   {map[string]string{"app/package.json": `{"name": `}, nil, pprofx.Process{}},
		"not a text": {map[string]string{"app/package.json": `{"name": 5}`}, nil, pprofx.Process{}},
		"Kubernetes": {shop, []string{"KUBERNETES_SERVICE_HOST=10.0.0.1"}, pprofx.Process{}},
		"attributes": {shop, []string{
			"OTEL_RESOURCE_ATTRIBUTES=service.name=till, service.version=1%2C2,x,=y,z=,process.pid=1"},
			pprofx.Process{Service: "till", Attributes: []pprofx.Label{{Key: "service.version", Str: "1,2"}}}},
		"service name": {shop, []string{
			"OTEL_RESOURCE_ATTRIBUTES=service.name=till,container.id=c1", "OTEL_SERVICE_NAME=desk"},
			pprofx.Process{Service: "desk", Container: "c1"}},
		"too long": {nil, []string{"OTEL_RESOURCE_ATTRIBUTES=a=" + strings.Repeat("x", 2000),
			"OTEL_SERVICE_NAME=" + strings.Repeat("x", 2000)}, pprofx.Process{}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, Of(&Origin{PID: service(t, test.packages, test.env...)}, "")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestOfPod: container and pod are those of the control groups, whatever the environment says of them.
func TestOfPod(t *testing.T) {
	const uid = "01234567-89ab-cdef-0123-456789abcdef"
	container := strings.Repeat("ab", 32)
	groups := "0::/kubepods/pod" + uid + "/" + container + "\n"
	environment := procs.Environment("OTEL_RESOURCE_ATTRIBUTES=k8s.pod.uid=another,container.id=another,a=b\x00")
	want := pprofx.Process{Container: container, Attributes: []pprofx.Label{
		{Key: "k8s.pod.uid", Str: uid}, {Key: "a", Str: "b"},
	}}
	if diff := cmp.Diff(want, Of(&Origin{groups: &groups, environment: &environment}, "")); diff != "" {
		t.Error(diff)
	}
}

// A service cannot make hotspan read what it may not read itself, wait, or read without an end.
func TestStrangePackages(t *testing.T) {
	dir := t.TempDir()
	pid := service(t, map[string]string{"app/package.json": strings.Repeat(" ", maxPackage) + `{"name": "x"}`})
	if got := (&Origin{PID: pid}).packageName(); got != "" {
		t.Errorf("a large package.json: %q", got)
	}
	if err := exec.Command("mkfifo", filepath.Join(dir, "package.json")).Run(); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("tail", "-f", filepath.Join(dir, "a.js"))
	if err := os.WriteFile(filepath.Join(dir, "a.js"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { cmd.Process.Kill(); cmd.Wait() }()
	if got := (&Origin{PID: cmd.Process.Pid}).packageName(); got != "" { // it would wait for ever
		t.Errorf("a FIFO: %q", got)
	}
}

// TestDependency: what runs a script of a package that it depends on, as "next start" does, has its own name.
func TestDependency(t *testing.T) {
	dir := t.TempDir()
	bin := filepath.Join(dir, "node_modules/next/bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(bin, "next"), "")
	write(filepath.Join(dir, "node_modules/next/package.json"), `{"name": "next"}`)
	for _, want := range []string{"", "shop"} {
		o := Origin{PID: start(t, dir, "node_modules/next/bin/next")}
		if got := o.packageName(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		write(filepath.Join(dir, "package.json"), `{"name": "shop"}`)
	}
}

// TestPM2: PM2 begins an application with a script of its own, and says in the environment which one is the
// application's.
func TestPM2(t *testing.T) {
	const own = "src/ProcessContainer.js"
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "src"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{own: "", "a.js": "", "src/package.json": `{"name": "pm2"}`,
		"package.json": `{"name": "shop"}`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	script := filepath.Join(dir, "a.js")
	for env, want := range map[string]string{
		"pm_exec_path=" + script:                                 "shop", // fork mode
		`pm2_env={"name":"web","pm_exec_path":"` + script + `"}`: "shop", // cluster mode
		`pm2_env={"name":"web"`:                                  "",
	} {
		o := Origin{PID: start(t, dir, own, env)}
		if got := o.packageName(); got != want {
			t.Errorf("%s: %q, want %q", env, got, want)
		}
	}
}

// TestTitle: a process that has given itself a title, as Next.js does, has nothing but zeros behind it, which name no
// script.
func TestTitle(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"name": "all"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("yes", "", "", "")
	cmd.Dir = filepath.Join(dir, "app")
	if err := os.Mkdir(cmd.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := cmd.StdoutPipe(); err != nil { // it waits until somebody reads
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { cmd.Process.Kill(); cmd.Wait() }()
	for !slices.Equal(procs.Arguments(cmd.Process.Pid), []string{"yes"}) { // until execve
		time.Sleep(time.Millisecond)
	}
	if got := (&Origin{PID: cmd.Process.Pid}).packageName(); got != "" {
		t.Errorf("%q", got)
	}
}

func TestMain(m *testing.M) {
	slowfiles.Main()
	os.Exit(m.Run())
}

// TestSlowPackage: where the directory of a service does not come, the directories above it are not waited for, too.
func TestSlowPackage(t *testing.T) {
	cmd := exec.Command("cat")
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() }) // when the file system has gone: until then it cannot end
	cmd.Args = append(cmd.Args, slowfiles.Mount(t, "", slowfiles.Never)+"/lookup/app/a.js")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for len(procs.Arguments(cmd.Process.Pid)) != 2 { // until execve
		time.Sleep(time.Millisecond)
	}
	const once = 5 * time.Second
	began := time.Now()
	got, took := (&Origin{PID: cmd.Process.Pid}).packageName(), time.Since(began)
	if got != "" || took < once || took > 2*once {
		t.Errorf("%q after %v, want nothing after %v", got, took, once)
	}
}
