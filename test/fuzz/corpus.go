package main

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// What is committed of a function's inputs, and how many of those that were found are looked at: the smallest.
const (
	maxFiles  = 20
	maxBytes  = 64 << 10
	maxTried  = 300
	maxInput  = 16 << 10
	slowInput = time.Second // more CPU time than this is a fault, with the code counted
)

// input is a file with an input.
type input struct {
	path  string
	size  int
	reach map[string]bool // blocks of code
}

// keep copies inputs that were found into the function's corpus, those first that reach most code which none there
// does. It returns how many, and what is wrong with an input.
func (b *builds) keep(f function) (kept int, fault string, err error) {
	program, err := b.build(f.Package, "-coverpkg=./...")
	if err != nil {
		return 0, "", err
	}
	run := coverage{program, f, filepath.Join(b.dir, "profile")}
	reached, _, err := run.of("")
	if err != nil {
		return 0, "", err
	}
	_, base, err := run.of("none")
	if err != nil {
		return 0, "", err
	}
	found, err := inputs(filepath.Join(b.cache, f.Package, f.Function))
	if err != nil || len(found) == 0 {
		return 0, "", err
	}
	committed, err := inputs(f.corpus())
	if err != nil {
		return 0, "", err
	}
	if err := os.MkdirAll(f.corpus(), 0o755); err != nil {
		return 0, "", err
	}
	defer os.Remove(f.corpus()) // if it is empty
	found = slices.DeleteFunc(found, func(i input) bool {
		_, err := os.Stat(filepath.Join(f.corpus(), filepath.Base(i.path)))
		return err == nil
	})
	for i := range found {
		used := time.Duration(0)
		if used, err = found[i].measure(run); err != nil {
			return 0, fmt.Sprintf("%s: %v", found[i].path, err), nil
		}
		if used > base+slowInput {
			return 0, fmt.Sprintf("%s takes %v", found[i].path, used-base), nil
		}
	}
	for _, i := range choose(found, reached, maxFiles-len(committed), maxBytes-total(committed)) {
		if err := i.copy(f.corpus()); err != nil {
			return kept, "", err
		}
		kept++
	}
	return kept, "", nil
}

// choose returns inputs within bounds that reach code which is not reached, most first, small before large.
func choose(found []input, reached map[string]bool, files, bytes int) (out []input) {
	more := func(i input) (n int) {
		for block := range i.reach {
			if !reached[block] {
				n++
			}
		}
		return n
	}
	for len(found) > 0 && files > 0 {
		best := slices.MaxFunc(found, func(a, b input) int {
			return cmp.Or(cmp.Compare(more(a), more(b)), cmp.Compare(b.size, a.size))
		})
		if more(best) == 0 {
			break
		}
		found = slices.DeleteFunc(found, func(i input) bool { return i.path == best.path })
		if best.size > bytes {
			continue
		}
		maps.Copy(reached, best.reach)
		out, files, bytes = append(out, best), files-1, bytes-best.size
	}
	return out
}

// inputs lists the smallest inputs of a folder, small ones first. Where there is no folder, there are none.
func inputs(dir string) (out []input, err error) {
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil {
			return nil, err
		}
		if info.Size() <= maxInput {
			out = append(out, input{path: name, size: int(info.Size())})
		}
	}
	slices.SortStableFunc(out, func(a, b input) int { return cmp.Compare(a.size, b.size) })
	return out[:min(len(out), maxTried)], err
}

func total(inputs []input) (bytes int) {
	for _, i := range inputs {
		bytes += i.size
	}
	return bytes
}

func (i input) copy(dir string) error {
	text, err := os.ReadFile(i.path)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, filepath.Base(i.path)), text, 0o644)
}

// measure learns which code an input reaches, and returns the CPU time that it takes.
func (i *input) measure(run coverage) (used time.Duration, err error) {
	if err := i.copy(run.f.corpus()); err != nil {
		return 0, err
	}
	name := filepath.Base(i.path)
	defer os.Remove(filepath.Join(run.f.corpus(), name))
	i.reach, used, err = run.of(name)
	return used, err
}

// coverage runs a function's inputs in a program that says which code it has run.
type coverage struct {
	program string
	f       function
	profile string
}

// of runs one input of the corpus, or all that there are.
func (r coverage) of(name string) (map[string]bool, time.Duration, error) {
	tests := "^" + r.f.Function + "$"
	if name != "" {
		tests += "/^" + name + "$"
	}
	// Where other work takes the CPUs a slow input waits for minutes.
	c := exec.Command(r.program, "-test.run="+tests, "-test.coverprofile="+r.profile, "-test.timeout=5m")
	c.Dir = r.f.Package
	if said, err := c.CombinedOutput(); err != nil {
		return nil, 0, fmt.Errorf("%w\n%s", err, said)
	}
	text, err := os.ReadFile(r.profile)
	return blocks(text), c.ProcessState.UserTime() + c.ProcessState.SystemTime(), err
}

// blocks are those blocks of a coverage profile that have run.
func blocks(profile []byte) map[string]bool {
	out := map[string]bool{}
	for lines := bufio.NewScanner(bytes.NewReader(profile)); lines.Scan(); {
		if block, count, ok := strings.Cut(lines.Text(), " "); ok && !strings.HasSuffix(count, " 0") &&
			block != "mode:" {
			out[block] = true
		}
	}
	return out
}
