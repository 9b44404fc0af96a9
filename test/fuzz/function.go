package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// modulePath is what the import paths of all packages begin with.
const modulePath = "github.com/hotspan/hotspan"

// function is a fuzz function of a package, whose folder is relative to the module's.
type function struct{ Package, Function string }

func (f function) String() string { return f.Package + "." + f.Function }

// corpus is the folder of the inputs that are committed.
func (f function) corpus() string { return filepath.Join(f.Package, "testdata", "fuzz", f.Function) }

var declaration = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(\w+ \*testing\.F\)`)

// list returns the fuzz functions of the module that match, sorted. It has none in its nested modules.
func list(only *regexp.Regexp) (out []function, err error) {
	names, err := exec.Command("git", "ls-files", "--cached", "--others", "--exclude-standard", "*_test.go").Output()
	if err != nil {
		return nil, err
	}
	for name := range strings.FieldsSeq(string(names)) {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		for _, m := range declaration.FindAllSubmatch(text, -1) {
			if f := (function{path.Dir(name), string(m[1])}); only.MatchString(f.String()) {
				out = append(out, f)
			}
		}
	}
	slices.SortFunc(out, function.compare)
	return out, nil
}

func (f function) compare(g function) int {
	return cmp.Or(cmp.Compare(f.Package, g.Package), cmp.Compare(f.Function, g.Function))
}

// some returns the functions that a text draws; another draws others. Without a text it returns all.
func some(functions []function, by string, most int) []function {
	if by == "" || most <= 0 {
		return functions
	}
	out := slices.Clone(functions)
	place := func(f function) []byte {
		sum := sha256.Sum256([]byte(by + " " + f.String()))
		return sum[:]
	}
	slices.SortFunc(out, func(f, g function) int { return bytes.Compare(place(f), place(g)) })
	return out[:min(len(out), most)]
}
