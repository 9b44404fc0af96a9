package repo

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	link     = regexp.MustCompile(`\]\(<?([^()\s>]+)>?(?:\s+"[^"]*")?\)|(?m:^\[[^\]^]+\]:\s*<?(\S+?)>?\s*$)`)
	codeSpan = regexp.MustCompile("`[^`\n]*`")
	heading  = regexp.MustCompile(`(?m)^#{1,6}\s+(.*?)\s*#*\s*$`)
	// What an anchor has not of its heading: all but letters, digits, blanks, - and _.
	noAnchor = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	scheme   = regexp.MustCompile(`^[a-z][a-z0-9+.-]*:`)
)

// unfenced is a document without its code blocks.
func unfenced(text string) string {
	lines := strings.Split(text, "\n")
	fenced := false
	for i, line := range lines {
		fence := strings.HasPrefix(strings.TrimSpace(line), "```")
		if fence || fenced {
			lines[i] = ""
		}
		fenced = fenced != fence
	}
	return strings.Join(lines, "\n")
}

// links lists the targets of a document's links, less those that lead to other hosts.
func links(text string) []string {
	var list []string
	for _, m := range link.FindAllStringSubmatch(codeSpan.ReplaceAllString(unfenced(text), "`"), -1) {
		if target := m[1] + m[2]; !scheme.MatchString(target) {
			list = append(list, target)
		}
	}
	return list
}

// anchors are the names of a document's headings as GitHub makes them: the second of two equal ones ends in -1.
func anchors(text string) map[string]bool {
	list, count := map[string]bool{}, map[string]int{}
	for _, m := range heading.FindAllStringSubmatch(unfenced(text), -1) {
		a := link.ReplaceAllString(m[1], "]") // a heading that is a link is named by its text
		a = strings.ReplaceAll(noAnchor.ReplaceAllString(strings.ToLower(a), ""), " ", "-")
		n := count[a]
		count[a]++
		if n > 0 {
			a = fmt.Sprintf("%s-%d", a, n)
		}
		list[a] = true
	}
	return list
}

// deadLink says why a link in a document leads nowhere; empty if it leads somewhere. load reads a file or folder of the
// repository.
func deadLink(document, target string, load func(name string) (string, error)) string {
	file, anchor, _ := strings.Cut(target, "#")
	name := document
	if file != "" {
		name = path.Join(path.Dir(document), file)
	}
	if strings.HasPrefix(file, "/") || name == ".." || strings.HasPrefix(name, "../") {
		return "it points out of the repository"
	}
	text, err := load(name)
	switch {
	case err != nil:
		return name + " does not exist"
	case anchor != "" && !anchors(text)[anchor]:
		return name + " has no heading of that name"
	}
	return ""
}

func TestLinks(t *testing.T) {
	load := func(name string) (string, error) {
		if info, err := os.Stat(filepath.Join(root, name)); err != nil || info.IsDir() {
			return "", err
		}
		b, err := os.ReadFile(filepath.Join(root, name))
		return string(b), err
	}
	found := 0
	for _, name := range withSuffix(t, ".md") {
		for _, target := range links(string(read(t, name))) {
			found++
			if why := deadLink(name, target, load); why != "" {
				t.Errorf("%s links to %s: %s", name, target, why)
			}
		}
	}
	if found == 0 {
		t.Error("no link found: the rule checks nothing")
	}
}

// TestDeadLink: the rule can be broken.
func TestDeadLink(t *testing.T) {
	repository := map[string]string{
		"README.md": "# hotspan\n\n## What it costs\n\n## `--label`, and more\n\n## What it costs\n\n" +
			"```\n# no heading\n```\n",
		"docs/labels.md": "# Labels\n",
	}
	load := func(name string) (string, error) {
		text, ok := repository[name]
		if !ok {
			return "", os.ErrNotExist
		}
		return text, nil
	}
	for _, c := range []struct {
		document, text string
		dead           bool
	}{
		{"README.md", "[a](docs/labels.md)", false},
		{"README.md", "[a](docs/labels.md#labels \"title\")", false},
		{"README.md", "[a](docs/labels.md#label)", true},
		{"README.md", "[a](docs/label.md)", true},
		{"README.md", "[a](#what-it-costs)", false},
		{"README.md", "[a](#what-it-costs-1)", false},
		{"README.md", "[a](#what-it-costs-2)", true},
		{"README.md", "[a](#--label-and-more)", false},
		{"README.md", "[a](#no-heading)", true},
		{"README.md", "[a]: docs/label.md", true},
		{"README.md", "see [a](https://example.com/x), `[a](x)`\n```\n[a](x)\n```\n", false},
		{"docs/labels.md", "[a](../README.md#what-it-costs)", false},
		{"docs/labels.md", "[a](README.md)", true},
		{"docs/labels.md", "[a](../../README.md)", true},
		{"docs/labels.md", "[a](/README.md)", true},
	} {
		dead := false
		for _, target := range links(c.text) {
			dead = dead || deadLink(c.document, target, load) != ""
		}
		if dead != c.dead {
			t.Errorf("%s: %s: dead %v, want %v", c.document, c.text, dead, c.dead)
		}
	}
}
