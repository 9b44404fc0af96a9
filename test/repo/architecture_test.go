package repo

import (
	"os"
	"os/exec"
	"testing"

	"github.com/hotspan/hotspan/test/draw"
)

// otherArchitecture is one that hotspan does not sample. Its packages must compile there all the same, so that a second
// architecture is new files rather than build tags across the tree.
const otherArchitecture = "arm64"

// TestOtherArchitecture type-checks all packages of the product's module, with their tests, for another architecture.
// It needs no network: the modules are those of this architecture.
func TestOtherArchitecture(t *testing.T) {
	draw.Seldom(t)
	if out, err := vet(root, "./..."); err != nil {
		t.Errorf("GOARCH=%s go vet ./...: %v\n%s", otherArchitecture, err, out)
	}
}

// TestVetFails: the rule can be broken.
func TestVetFails(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":     "module x\n\ngo 1.26.0\n",
		"x.go":       "package x\n\nvar _ = register\n",
		"x_amd64.go": "package x\n\nvar register int\n",
	} {
		if err := os.WriteFile(dir+"/"+name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := vet(dir, "."); err == nil {
		t.Errorf("go vet accepts what only amd64 has: %s", out)
	}
}

func vet(dir, pattern string) ([]byte, error) {
	c := exec.Command("go", "vet", pattern)
	c.Dir = dir
	c.Env = append(os.Environ(), "GOARCH="+otherArchitecture, "CGO_ENABLED=0", "GOPROXY=off")
	return c.CombinedOutput()
}
