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

	"github.com/hotspan/hotspan/test/debian"
)

// suite has kernels as Debian's packages.
type suite struct{ debian.Suite }

// kernel downloads the newest kernel of the suite and returns the file with it.
func (d *suite) kernel() (string, error) {
	if _, err := d.Run("apt-get", "update", "-q"); err != nil {
		return "", err
	}
	name, err := d.depends("linux-image-amd64", `\blinux-image-[0-9][^ ,]*`)
	if err != nil {
		return "", err
	}
	if binary, err := d.depends(name, `\blinux-binary-[0-9][^ ,]*`); err == nil { // its own package from 7 on
		name = binary
	}
	if _, err := d.Run("apt-get", "download", name); err != nil {
		return "", err
	}
	packages, err := filepath.Glob(filepath.Join(d.Dir, name+"_*.deb"))
	if err != nil || len(packages) == 0 {
		return "", fmt.Errorf("apt-get download %s left nothing: %v", name, err)
	}
	defer os.Remove(packages[len(packages)-1])
	kernel := filepath.Join(d.Dir, name)
	return kernel, extract(packages[len(packages)-1], kernel)
}

// depends returns the name of a package that a package depends on.
func (d *suite) depends(name, pattern string) (string, error) {
	said, err := d.Run("apt-cache", "show", name)
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
	return "", fmt.Errorf("%s of %s depends on nothing like %s", name, d.Name, pattern)
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
