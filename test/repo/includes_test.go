package repo

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// bpfFolder holds all C of the product. Tests have C of their own in testdata.
const bpfFolder = "agent/internal/bpf/"

var include = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]+(.*)$`)

// The headers of the system that the BPF program may use: the kernel's interface to user space, and libbpf's.
var systemHeaders = []string{"<linux/", "<asm/", "<bpf/"}

// badInclude reports whether an #include is neither of a header in the folder nor of one that is allowed.
func badInclude(what string, own []string) bool {
	if name, ok := strings.CutPrefix(what, `"`); ok {
		return !slices.Contains(own, strings.TrimSuffix(name, `"`))
	}
	return !slices.ContainsFunc(systemHeaders, func(s string) bool { return strings.HasPrefix(what, s) })
}

func TestIncludes(t *testing.T) {
	var own []string
	sources := slices.DeleteFunc(withSuffix(t, ".c", ".h"), func(file string) bool { return strings.Contains(file, "/testdata/") })
	for _, file := range sources {
		if !strings.HasPrefix(file, bpfFolder) {
			t.Errorf("%s: C belongs into %s", file, bpfFolder)
		}
		own = append(own, path.Base(file))
	}
	for _, file := range sources {
		for _, m := range include.FindAllStringSubmatch(string(read(t, file)), -1) {
			if what := strings.TrimSpace(m[1]); badInclude(what, own) {
				t.Errorf("%s includes %s: neither its own nor of %v", file, what, systemHeaders)
			}
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
			t.Errorf("%s: %v, want %v", what, got, bad)
		}
	}
}
