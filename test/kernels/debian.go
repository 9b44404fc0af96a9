package main

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// debian has kernels as Debian's packages. It changes nothing of what this machine has installed.
type debian struct {
	mirror string // URI of the archive that this machine's packages come from
	dir    string // where lists and packages are kept
	suite  string
}

// findMirror returns where the packages of this machine come from.
func findMirror() (string, error) {
	list := exec.Command("apt-get", "indextargets", "--format", "$(ORIGIN) $(REPO_URI)", "Created-By: Packages")
	out, err := list.Output()
	if err != nil {
		return "", fmt.Errorf("apt-get indextargets: %w", err)
	}
	for line := range strings.Lines(string(out)) {
		if uri, ok := strings.CutPrefix(strings.TrimSpace(line), "Debian "); ok && strings.HasSuffix(uri, "/debian/") {
			return uri, nil
		}
	}
	return "", errors.New("the kernels are Debian's: apt here has no source of Debian's archive, or no lists " +
		"(apt-get update)")
}

const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg"

// apt runs apt-get or apt-cache with lists of its own, of one suite.
func (d *debian) apt(program string, args ...string) (string, error) {
	for _, dir := range []string{"lists/partial", "cache/archives/partial"} {
		if err := os.MkdirAll(filepath.Join(d.dir, dir), 0o755); err != nil {
			return "", err
		}
	}
	settings := ""
	for name, value := range map[string]string{
		"Dir::State": d.dir, "Dir::State::lists": d.dir + "/lists", "Dir::State::status": "/var/lib/dpkg/status",
		"Dir::Cache": d.dir + "/cache", "Dir::Etc::sourcelist": d.dir + "/sources.list",
		"Dir::Etc::sourceparts": "/dev/null", "Acquire::Languages": "none", "APT::Sandbox::User": "root",
		"Acquire::IndexTargets::deb::DEP-11::DefaultEnabled": "false",
	} {
		settings += fmt.Sprintf("%s %q;\n", name, value)
	}
	source := fmt.Sprintf("deb [signed-by=%s] %s %s main\n", keyring, d.mirror, d.suite)
	err := errors.Join(os.WriteFile(d.dir+"/apt.conf", []byte(settings), 0o644),
		os.WriteFile(d.dir+"/sources.list", []byte(source), 0o644))
	if err != nil {
		return "", err
	}
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = d.dir, append(os.Environ(), "APT_CONFIG="+d.dir+"/apt.conf")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s %v: %w: %s", program, args, err, &stderr)
	}
	return string(out), err
}

// kernel downloads the newest kernel of the suite and returns the file with it.
func (d *debian) kernel() (string, error) {
	if _, err := d.apt("apt-get", "update", "-q"); err != nil {
		return "", err
	}
	name, err := d.depends("linux-image-amd64", `\blinux-image-[0-9][^ ,]*`)
	if err != nil {
		return "", err
	}
	if binary, err := d.depends(name, `\blinux-binary-[0-9][^ ,]*`); err == nil { // its own package from 7 on
		name = binary
	}
	if _, err := d.apt("apt-get", "download", name); err != nil {
		return "", err
	}
	packages, err := filepath.Glob(filepath.Join(d.dir, name+"_*.deb"))
	if err != nil || len(packages) == 0 {
		return "", fmt.Errorf("apt-get download %s left nothing: %v", name, err)
	}
	defer os.Remove(packages[len(packages)-1])
	kernel := filepath.Join(d.dir, name)
	return kernel, extract(packages[len(packages)-1], kernel)
}

// depends returns the name of a package that a package depends on.
func (d *debian) depends(name, pattern string) (string, error) {
	said, err := d.apt("apt-cache", "show", name)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(said) {
		if list, ok := strings.CutPrefix(line, "Depends: "); ok {
			if found := regexp.MustCompile(pattern).FindString(list); found != "" {
				return found, nil
			}
		}
	}
	return "", fmt.Errorf("%s of %s depends on nothing like %s", name, d.suite, pattern)
}

// extract takes the kernel out of a package.
func extract(deb, to string) (err error) {
	cmd := exec.Command("dpkg-deb", "--fsys-tarfile", deb)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	defer func() {
		_ = cmd.Process.Kill() // the rest is of no interest
		_ = cmd.Wait()
	}()
	for r := tar.NewReader(out); ; {
		h, err := r.Next()
		if err != nil {
			return fmt.Errorf("no kernel in %s: %w", deb, err)
		}
		if !strings.HasPrefix(filepath.Base(h.Name), "vmlinuz") || h.Typeflag != tar.TypeReg {
			continue
		}
		f, err := os.Create(to)
		if err != nil {
			return err
		}
		_, err = io.Copy(f, r)
		return errors.Join(err, f.Close())
	}
}
