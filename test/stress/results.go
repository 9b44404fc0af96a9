package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// result is one run of a test.
type result struct {
	Commit, Package, Test string
	At                    time.Time // its end
	Failed                bool
}

// results are those of a commit, in a file that others may be in.
type results struct {
	commit string
	file   *os.File
	all    map[string][]result // by test
}

func openResults(name, commit string) (*results, error) {
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	r := &results{commit, file, map[string][]result{}}
	for lines := json.NewDecoder(file); ; {
		var one result
		if err := lines.Decode(&one); errors.Is(err, io.EOF) {
			return r, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if one.Commit == commit {
			r.keep(one)
		}
	}
}

func (r *results) keep(one result) {
	key := one.Package + " " + one.Test
	r.all[key] = append(r.all[key], one)
}

// add writes what a run gave.
func (r *results) add(t test, failed error) error {
	if failed != nil {
		fmt.Printf("FAILED %s: %v\n", t, failed)
	}
	one := result{r.commit, t.path, t.name, time.Now().UTC().Truncate(time.Second), failed != nil}
	r.keep(one)
	return json.NewEncoder(r.file).Encode(one)
}

func (r *results) runs(t test) int { return len(r.all[t.String()]) }

func (r *results) failures(t test) (n int) {
	for _, one := range r.all[t.String()] {
		if one.Failed {
			n++
		}
	}
	return n
}
