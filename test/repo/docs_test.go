package repo

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A path in the text of a document: in backquotes, without blanks, below a top folder.
var documentPath = regexp.MustCompile("`([a-z0-9.]+/[\\w./*-]*)`")

// documents are those that explain hotspan: three at the root, and the reference in docs.
func documents(t *testing.T) []string {
	t.Helper()
	list := documentsOf(files(t))
	for _, name := range []string{"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"} {
		if !slices.Contains(list, name) {
			t.Errorf("%s does not exist", name)
		}
	}
	if len(list) < 8 {
		t.Fatalf("only %d documents: the rules check nothing", len(list))
	}
	return list
}

func documentsOf(files []string) []string {
	return slices.DeleteFunc(slices.Clone(files), func(name string) bool {
		return path.Ext(name) != ".md" || (path.Dir(name) != "." && path.Dir(name) != "docs")
	})
}

// TestDocumentsOf: a document of either folder is under the rules, without being listed anywhere.
func TestDocumentsOf(t *testing.T) {
	got := documentsOf([]string{"README.md", "NEWS.md", "main.go", "docs/labels.md", "docs/x/y.md",
		"examples/README.md"})
	if want := []string{"README.md", "NEWS.md", "docs/labels.md"}; !slices.Equal(got, want) {
		t.Errorf("documents %v, want %v", got, want)
	}
}

// TestDocumentPaths: the files that the documents name exist.
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
			if first, _, _ := strings.Cut(m[1], "/"); !slices.Contains(tops, first) ||
				strings.Contains(m[1], "VERSION") {
				continue
			}
			found++
			if !exists(m[1]) {
				t.Errorf("%s names %s, which does not exist", doc, m[1])
			}
		}
	}
	if found == 0 {
		t.Error("the documents name no path at all: the rule checks nothing")
	}
}

// TestArchitectureIsWhole: ARCHITECTURE.md names each folder below agent/internal, and each header of the BPF program.
func TestArchitectureIsWhole(t *testing.T) {
	text, n := string(read(t, "ARCHITECTURE.md")), 0
	for _, name := range files(t) {
		rest, inside := strings.CutPrefix(name, "agent/internal/")
		folder, file, _ := strings.Cut(rest, "/")
		want := folder + "/"
		if header := path.Ext(file) == ".h" && folder == "bpf" && path.Base(file) == file; header {
			want = "`" + file + "`"
		}
		if !inside {
			continue
		}
		n++
		if !strings.Contains(text, want) {
			t.Errorf("ARCHITECTURE.md does not name %s of %s", want, name)
		}
	}
	if n == 0 {
		t.Error("there is nothing in agent/internal: the rule checks nothing")
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

// TestDocumentMake: the Makefile has the targets that the documents name.
func TestDocumentMake(t *testing.T) {
	makefile := string(read(t, "Makefile"))
	named := regexp.MustCompile(`(?m)(?:^|sudo |` + "`" + `)make ([a-z-]+)`)
	for _, doc := range documents(t) {
		for _, m := range named.FindAllStringSubmatch(string(read(t, doc)), -1) {
			if !strings.Contains(makefile, "\n"+m[1]+":") {
				t.Errorf("%s names make %s, but the Makefile has no such target", doc, m[1])
			}
		}
	}
}
