package e2e

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/test/truth/judge"
)

// TestSecretMap: with the capabilities of the unit in the documents, hotspan reads no source map that only root may
// read, though a script of another user names it. One that everybody may read it uses.
func TestSecretMap(t *testing.T) {
	t.Parallel()
	maps, err := os.MkdirTemp("", "hotspan-maps-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(maps) })
	var code strings.Builder
	for name, mode := range map[string]os.FileMode{"public": 0o644, "secret": 0o600} {
		file := filepath.Join(maps, name+".map")
		text := fmt.Sprintf(`{"version":3,"sources":["/src/%s.ts"],"mappings":"AAAA"}`, name)
		if err := errors.Join(os.Chmod(maps, 0o755), os.WriteFile(file, []byte(text), 0o600),
			os.Chmod(file, mode)); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&code, "vm.runInThisContext(`(function %s() { const end = performance.now() + 20; "+
			"while (performance.now() < end); })\\n//# sourceMappingURL=%s`, '/none/%s.js'),", name, file, name)
	}
	u := users(t, "const all = ["+code.String()+"]; for (;;) for (const f of all) f()")
	out := filepath.Join(u.state, "out.jsonl")
	c := exec.Command(u.hotspan, "record", "-p", fmt.Sprint(u.pid), "-d", "3s", "-o", out)
	c.SysProcAttr, c.Dir = asAgent(unitCapabilities(t)), u.state
	c.Env = []string{"XDG_CACHE_HOME=" + filepath.Join(u.state, "cache")}
	said, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	if !strings.Contains(string(said), "secret.map: permission denied") {
		t.Errorf("it does not say why a map is not used: %s", said)
	}
	samples, err := judge.ReadSamples(out)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]int{}
	for _, s := range samples {
		for _, f := range s.JS() {
			files[f.F+" "+f.File]++
		}
	}
	if files["public /src/public.ts"] == 0 || files["secret /none/secret.js"] == 0 ||
		files["secret /src/secret.ts"] > 0 {
		t.Errorf("functions and their files: %v", files)
	}
}
