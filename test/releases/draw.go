package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// draw returns some of the releases that worked when they were tried. Another text draws others.
func draw(results []Result, by string, most int) []string {
	var out []string
	for _, r := range results {
		if len(r.lacks()) == 0 {
			out = append(out, r.Node)
		}
	}
	slices.SortFunc(out, func(a, b string) int {
		x, y := sha256.Sum256([]byte(by+" "+a)), sha256.Sum256([]byte(by+" "+b))
		return cmp.Or(bytes.Compare(x[:], y[:]), cmp.Compare(a, b))
	})
	return out[:min(len(out), most)]
}

// drawn tries releases, and those that lack something again: a busy machine may have cost what was missing. What a
// trial says is wrong counts at once. Meanwhile the next one is downloaded.
func (t *trials) drawn(chosen []string) error {
	releases := make(chan release)
	go func() {
		for _, version := range chosen {
			releases <- t.get(version)
		}
	}()
	var amiss []error
	for range chosen {
		of := <-releases
		r := t.try(of)
		fmt.Println(r.line())
		if len(r.lacks()) > 0 && r.wrong() == 0 {
			r = t.try(of)
			fmt.Println(r.line())
		}
		t.done(of, r)
		if lacks := r.lacks(); len(lacks) > 0 {
			amiss = append(amiss, fmt.Errorf("Node.js %s: %s", of.version, strings.Join(lacks, "; ")))
		}
	}
	return errors.Join(amiss...)
}
