// Command releases tries hotspan on official releases of Node.js, one after the other: the first and the last patch of
// every minor since 16.0.0. It downloads each and deletes it afterwards, and goes on where its results end.
//
// The results are in results.jsonl, a line for each release; docs/support.md and a sentence of README are made of them.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/results"
)

const resultsFile, documentFile, readmeFile = "test/releases/results.jsonl", "docs/support.md", "README.md"

func main() {
	var t trials
	most := flag.Int("most", 25, "how many releases to try")
	only := flag.String("node", "", "these releases, with commas between them, whether they have results or not")
	write := flag.Bool("write", false, "only write the documents anew")
	by := flag.String("draw", "", "try releases with results that a text, such as a commit's hash, draws; "+
		"write nothing, and fail if one does not work")
	flag.StringVar(&t.hotspan, "hotspan", "bin/hotspan", "hotspan binary")
	flag.StringVar(&t.keep, "keep", "", "folder in which what a trial that showed a fault has left is kept")
	flag.Parse()
	if err := run(&t, *most, *only, *by, *write); err != nil {
		fmt.Fprintln(os.Stderr, "releases:", err)
		os.Exit(1)
	}
}

func run(t *trials, most int, only, by string, write bool) error {
	known, err := results.Read[Result](resultsFile)
	if err != nil {
		return err
	}
	switch {
	case write:
		return writeDocuments(known)
	case by != "":
		return t.drawn(draw(known, by, most))
	}
	chosen := strings.Split(only, ",")
	if only == "" {
		if chosen, err = pending(known, most); err != nil {
			return err
		}
	}
	for _, version := range chosen {
		of := t.get(version)
		r := t.try(of)
		t.done(of, r)
		fmt.Println(r.line())
		known = with(known, r)
		if err := errors.Join(results.Write(resultsFile, known), writeDocuments(known)); err != nil {
			return err
		}
	}
	return nil
}

// pending returns releases that have no result yet.
func pending(results []Result, most int) ([]string, error) {
	all, err := nodes.Released()
	if err != nil {
		return nil, err
	}
	var out []string
	for _, version := range edges(all) {
		if !slices.ContainsFunc(results, func(r Result) bool { return r.Node == version }) {
			out = append(out, version)
		}
	}
	fmt.Printf("%d releases have no result yet\n", len(out))
	return out[:min(len(out), most)], nil
}

// writeDocuments writes what is made of results.
func writeDocuments(results []Result) error {
	if len(results) == 0 {
		return nil
	}
	readme, err := os.ReadFile(readmeFile)
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(documentFile, []byte(document(results)), 0o644),
		os.WriteFile(readmeFile, sentence.ReplaceAll(readme, []byte(summary(results))), 0o644))
}
