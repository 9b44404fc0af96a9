package repo

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A path in the text of a document: in backticks, without blanks, below one of the top folders.
var documentPath = regexp.MustCompile("`([a-z0-9.]+/[\\w./*-]*)`")

// documents are the texts for people: those at the top, and all of docs.
func documents(t *testing.T) []string {
	list := []string{"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"}
	for _, name := range withSuffix(t, ".md") {
		if top(name) == "docs" {
			list = append(list, name)
		}
	}
	if len(list) < 8 {
		t.Fatalf("only %d documents; the rules would hold for nothing", len(list))
	}
	return list
}

// TestDocumentPaths: what the documents point to is there.
func TestDocumentPaths(t *testing.T) {
	var tops []string
	for _, name := range files(t) {
		if top := top(name); !slices.Contains(tops, top) {
			tops = append(tops, top)
		}
	}
	found := 0
	for _, doc := range documents(t) {
		for _, m := range documentPath.FindAllStringSubmatch(string(read(t, doc)), -1) {
			if first, _, _ := strings.Cut(m[1], "/"); !slices.Contains(tops, first) || strings.Contains(m[1], "VERSION") {
				continue
			}
			found++
			if !exists(m[1]) {
				t.Errorf("%s names %s, which is not there", doc, m[1])
			}
		}
	}
	if found == 0 {
		t.Error("no path found: the rule would hold for nothing")
	}
}

func exists(name string) bool {
	matches, err := filepath.Glob(filepath.Join(root, name))
	if err != nil || len(matches) == 0 {
		return false
	}
	_, err = os.Stat(matches[0])
	return err == nil
}

// TestDocumentMake: the targets that the documents name are the Makefile's.
func TestDocumentMake(t *testing.T) {
	makefile := string(read(t, "Makefile"))
	named := regexp.MustCompile(`(?m)(?:^|sudo |` + "`" + `)make ([a-z-]+)`)
	for _, doc := range documents(t) {
		for _, m := range named.FindAllStringSubmatch(string(read(t, doc)), -1) {
			if !strings.Contains(makefile, "\n"+m[1]+":") {
				t.Errorf("%s names make %s, which the Makefile does not have", doc, m[1])
			}
		}
	}
}
