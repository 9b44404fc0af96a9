// Package debian gets packages of Debian's suites. It changes nothing of what this machine has installed.
package debian

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Suite is one of Debian's, as trixie.
type Suite struct {
	Name string
	Dir  string // where its lists and packages are kept
}

// findMirror returns the URI of the archive that this machine's packages come from.
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
	return "", errors.New("apt here has no source of Debian's archive, or no lists (apt-get update)")
}

const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg"

// Run runs apt-get or apt-cache in the suite's directory, with lists of its own, and returns what it prints.
func (s *Suite) Run(program string, args ...string) (string, error) {
	mirror, err := findMirror()
	if err != nil {
		return "", err
	}
	for _, dir := range []string{"lists/partial", "cache/archives/partial"} {
		if err := os.MkdirAll(filepath.Join(s.Dir, dir), 0o755); err != nil {
			return "", err
		}
	}
	settings := ""
	for name, value := range map[string]string{
		"Dir::State": s.Dir, "Dir::State::lists": s.Dir + "/lists", "Dir::State::status": "/var/lib/dpkg/status",
		"Dir::Cache": s.Dir + "/cache", "Dir::Etc::sourcelist": s.Dir + "/sources.list",
		"Dir::Etc::sourceparts": "/dev/null", "Acquire::Languages": "none", "APT::Sandbox::User": "root",
		"Acquire::IndexTargets::deb::DEP-11::DefaultEnabled": "false",
	} {
		settings += fmt.Sprintf("%s %q;\n", name, value)
	}
	source := fmt.Sprintf("deb [signed-by=%s] %s %s main\n", keyring, mirror, s.Name)
	err = errors.Join(os.WriteFile(s.Dir+"/apt.conf", []byte(settings), 0o644),
		os.WriteFile(s.Dir+"/sources.list", []byte(source), 0o644))
	if err != nil {
		return "", err
	}
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = s.Dir, append(os.Environ(), "APT_CONFIG="+s.Dir+"/apt.conf")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s %v: %w: %s", program, args, err, &stderr)
	}
	return string(out), err
}
