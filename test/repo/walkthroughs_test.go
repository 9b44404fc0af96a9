package repo

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// maxTouched bounds the existing files that something common takes to add.
const maxTouched = 3

// walkThroughs are what ARCHITECTURE.md explains how to add, with whether the bound holds for it.
var walkThroughs = map[string]bool{
	"A Node version": true, "An output format": true, "A sink": true, "A tracer's rules": true,
	"A kind of published record": true, "A verb": true, "A trigger": true, "An architecture": false,
}

var (
	walkThrough = regexp.MustCompile(`(?m)^- \*\*([^*:]+): (\d+)[^*]*\*\*((?:.*\n)(?:  .*\n)*)`)
	namedFile   = regexp.MustCompile("`([\\w./*-]+/[\\w.*-]+\\.(?:go|h|c|md|json))`")
)

// TestWalkThroughs: adding what people add touches few files, which exist. The numbers are counted by whoever writes
// them; what a change takes shows in its diff.
func TestWalkThroughs(t *testing.T) {
	_, section, ok := strings.Cut(string(read(t, "ARCHITECTURE.md")), "\n## What to touch\n")
	if !ok {
		t.Fatal("ARCHITECTURE.md has no section What to touch")
	}
	var seen []string
	for _, m := range walkThrough.FindAllStringSubmatch(section, -1) {
		what, text := m[1], m[3]
		bounded, known := walkThroughs[what]
		if seen = append(seen, what); !known {
			t.Errorf("%s: not one of the walk-throughs that this test knows", what)
		}
		if n, _ := strconv.Atoi(m[2]); bounded && n > maxTouched {
			t.Errorf("%s takes %d existing files, more than %d", what, n, maxTouched)
		}
		if lines := strings.Count(text, "\n"); lines >= 10 {
			t.Errorf("%s has %d lines, want less than ten", what, lines)
		}
		for _, file := range namedFile.FindAllStringSubmatch(text, -1) {
			if !exists(file[1]) && !exists("agent/internal/"+file[1]) {
				t.Errorf("%s names %s, which does not exist", what, file[1])
			}
		}
	}
	for what := range walkThroughs {
		if !slices.Contains(seen, what) {
			t.Errorf("ARCHITECTURE.md does not say what to touch for: %s", what)
		}
	}
}
