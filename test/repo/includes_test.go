package repo

import (
	"maps"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// bpfFolder holds all C sources of the product but those of the npm package, which run in Node.js. Those of tests are
// in testdata.
const bpfFolder, packageFolder = "agent/internal/bpf/", "nodeaddon/"

var include = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]+(.*)$`)

// The system headers that the BPF program may include: the kernel's interface to user space, and libbpf's.
var systemHeaders = []string{"<linux/", "<asm/", "<bpf/"}

// badInclude reports whether an #include names neither one of our own headers nor an allowed system header.
func badInclude(what string, own []string) bool {
	if name, ok := strings.CutPrefix(what, `"`); ok {
		return !slices.Contains(own, strings.TrimSuffix(name, `"`))
	}
	return !slices.ContainsFunc(systemHeaders, func(s string) bool { return strings.HasPrefix(what, s) })
}

func TestIncludes(t *testing.T) {
	var own []string
	sources := slices.DeleteFunc(withSuffix(t, ".c", ".h"), func(file string) bool {
		return strings.Contains(file, "/testdata/") || strings.HasPrefix(file, packageFolder)
	})
	for _, file := range sources {
		if !strings.HasPrefix(file, bpfFolder) {
			t.Errorf("%s: C sources belong in %s", file, bpfFolder)
		}
		own = append(own, path.Base(file))
	}
	for _, file := range sources {
		for _, m := range include.FindAllStringSubmatch(string(read(t, file)), -1) {
			if what := strings.TrimSpace(m[1]); badInclude(what, own) {
				t.Errorf("%s includes %s, which is neither in %s nor one of %v", file, what, bpfFolder, systemHeaders)
			}
		}
	}
}

// included are the headers of the folder that each of its headers includes, by name.
func included(t *testing.T) map[string][]string {
	t.Helper()
	graph := map[string][]string{}
	for _, file := range withSuffix(t, ".h") {
		if !strings.HasPrefix(file, bpfFolder) {
			continue
		}
		name := path.Base(file)
		graph[name] = []string{}
		for _, m := range include.FindAllStringSubmatch(string(read(t, file)), -1) {
			if own, ok := strings.CutPrefix(strings.TrimSpace(m[1]), `"`); ok {
				graph[name] = append(graph[name], strings.TrimSuffix(own, `"`))
			}
		}
	}
	return graph
}

// circle is a way from a header back to itself, nil if there is none.
func circle(graph map[string][]string) []string {
	done := map[string]bool{}
	var visit func(way []string, name string) []string
	visit = func(way []string, name string) []string {
		if i := slices.Index(way, name); i >= 0 {
			return append(slices.Clone(way[i:]), name)
		}
		if done[name] {
			return nil
		}
		for _, next := range graph[name] {
			if found := visit(append(way, name), next); found != nil {
				return found
			}
		}
		done[name] = true
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(graph)) {
		if found := visit(nil, name); found != nil {
			return found
		}
	}
	return nil
}

// TestHeaders: each header is read once, includes what it uses, and none includes itself by way of others. So the order
// of includes means nothing.
func TestHeaders(t *testing.T) {
	graph := included(t)
	if found := circle(graph); found != nil {
		t.Errorf("headers include each other: %s", strings.Join(found, " → "))
	}
	for name := range graph {
		if !strings.Contains(string(read(t, bpfFolder+name)), "\n#pragma once\n") {
			t.Errorf("%s has no #pragma once", name)
		}
	}
	clang, err := exec.LookPath("clang-19")
	if err != nil {
		t.Skip("that each header compiles alone: there is no clang-19")
	}
	for name := range graph {
		if out, err := compileHeader(clang, name); err != nil {
			t.Errorf("%s does not compile alone: %v\n%s", name, err, out)
		}
	}
}

// compileHeader checks a file that only includes a header. Not each of its functions is called then.
func compileHeader(clang, name string) ([]byte, error) {
	cmd := exec.Command(clang, "-target", "bpf", "-D__TARGET_ARCH_x86", "-Wall", "-Werror", "-Wno-unused-function",
		"-I.", "-I/usr/include/x86_64-linux-gnu", "-fsyntax-only", "-x", "c", "-")
	cmd.Dir = filepath.Join(root, bpfFolder)
	cmd.Stdin = strings.NewReader("#include \"" + name + "\"\n")
	return cmd.CombinedOutput()
}

// TestCircle: the rule can be broken.
func TestCircle(t *testing.T) {
	for _, c := range []struct {
		graph map[string][]string
		want  []string
	}{
		{map[string][]string{"a": {"b", "c"}, "b": {"c"}, "c": nil}, nil},
		{map[string][]string{"a": {"b"}, "b": {"c"}, "c": {"b"}}, []string{"b", "c", "b"}},
		{map[string][]string{"a": {"a"}}, []string{"a", "a"}},
	} {
		if got := circle(c.graph); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.graph, got, c.want)
		}
	}
}

// TestBadInclude: the rule can be broken.
func TestBadInclude(t *testing.T) {
	own := []string{"walk.h"}
	for what, bad := range map[string]bool{
		`"walk.h"`: false, `<linux/bpf.h>`: false, `<bpf/bpf_helpers.h>`: false,
		`"../walk.h"`: true, `"vmlinux.h"`: true, `<stdio.h>`: true, `<sys/types.h>`: true,
	} {
		if got := badInclude(what, own); got != bad {
			t.Errorf("#include %s: bad %v, want %v", what, got, bad)
		}
	}
}
