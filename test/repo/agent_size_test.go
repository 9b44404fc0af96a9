package repo

import (
	"bytes"
	"fmt"
	"path"
	"strings"
	"testing"
)

// The package agent is the life of a sample and nothing else. What grows beyond that belongs into a package below it.
const (
	maxAgentFiles = 14
	maxAgentLines = 1800
)

// tooLarge says what is wrong with the size of package agent; empty for nothing.
func tooLarge(files, lines int) string {
	if files > maxAgentFiles || lines > maxAgentLines {
		return fmt.Sprintf("package agent has %d files and %d lines without tests, the limits are %d and %d",
			files, lines, maxAgentFiles, maxAgentLines)
	}
	return ""
}

func TestAgentSize(t *testing.T) {
	count, lines := 0, 0
	for _, name := range withSuffix(t, ".go") {
		if path.Dir(name) == "agent" && !strings.HasSuffix(name, "_test.go") {
			count++
			lines += bytes.Count(read(t, name), []byte("\n"))
		}
	}
	if wrong := tooLarge(count, lines); wrong != "" {
		t.Error(wrong)
	}
	if count == 0 {
		t.Error("package agent has no files: the rule checks nothing")
	}
}

// TestTooLarge: the rule can be broken.
func TestTooLarge(t *testing.T) {
	for _, c := range []struct {
		files, lines int
		wrong        bool
	}{{14, 1800, false}, {15, 1000, true}, {3, 1801, true}} {
		if got := tooLarge(c.files, c.lines); (got != "") != c.wrong {
			t.Errorf("%d files with %d lines: %q", c.files, c.lines, got)
		}
	}
}
