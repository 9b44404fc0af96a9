package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// baseBinary is the hotspan to compare with: a path of a binary, or a revision of this repository, which it builds in
// a folder of its own below dir.
func baseBinary(ctx context.Context, base, dir string) (path, name string, err error) {
	if info, err := os.Stat(base); err == nil && info.Mode().IsRegular() {
		path, err := filepath.Abs(base)
		return path, filepath.Base(base), err
	}
	out, err := exec.CommandContext(ctx, "git", "rev-parse", "--short", "--verify", base+"^{commit}").Output()
	if err != nil {
		return "", "", fmt.Errorf("BENCH_BASE=%s is neither a file nor a revision of this repository", base)
	}
	revision := strings.TrimSpace(string(out))
	progress("building %s", revision)
	tree := filepath.Join(dir, "base")
	if err := run(ctx, ".", "git", "worktree", "add", "--quiet", "--detach", tree, revision); err != nil {
		return "", "", err
	}
	// also where the context has ended: else git would keep the folder in its list
	defer run(context.WithoutCancel(ctx), ".", "git", "worktree", "remove", "--force", tree)
	path = filepath.Join(dir, "hotspan-"+revision)
	return path, revision, run(ctx, tree, "go", "build", "-o", path, ".")
}

// run runs a command in a folder. An error says what it printed.
func run(ctx context.Context, dir, name string, args ...string) error {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, out)
	}
	return nil
}
