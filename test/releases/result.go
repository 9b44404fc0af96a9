package main

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/hotspan/hotspan/test/truth/judge"
)

// Result is what came of a trial of one release.
type Result struct {
	Node     string   `json:"node"` // as 24.21.0
	V8       string   `json:"v8,omitempty"`
	Failed   string   `json:"failed,omitempty"`   // why there is nothing else
	Verified int      `json:"verified,omitempty"` // fields of the layout that were compared with the process
	Wrong    []string `json:"wrong,omitempty"`    // what the process contradicts
	Unknown  []string `json:"unknown,omitempty"`  // what is not known of this V8, and what is lost by it
	Crashes  []string `json:"crashes,omitempty"`  // programs that Node.js does not survive, without hotspan either

	Functions counts `json:"functions"` // innermost functions of functions.js and tiers.js
	Lines     counts `json:"lines"`     // of their callers
	Chains    counts `json:"chains"`    // inlined calls in tiers.js; wrong is what lacks a function
	Labels    counts `json:"labels"`    // of the samples in requests of requests.js
}

// counts are samples that were judged. What is neither right nor wrong is missing.
type counts struct{ Right, Wrong, All int }

// MarshalJSON writes [right, wrong, all].
func (c counts) MarshalJSON() ([]byte, error) { return json.Marshal([]int{c.Right, c.Wrong, c.All}) }

// UnmarshalJSON reads what MarshalJSON wrote.
func (c *counts) UnmarshalJSON(b []byte) error {
	var n [3]int
	err := json.Unmarshal(b, &n)
	c.Right, c.Wrong, c.All = n[0], n[1], n[2]
	return err
}

// wrong is how many samples had functions or labels that are not the true ones.
func (r Result) wrong() int { return r.Functions.Wrong + r.Labels.Wrong }

func (c *counts) add(right judge.Share, wrong int) {
	c.Right, c.All, c.Wrong = c.Right+right.Part, c.All+right.Whole, c.Wrong+wrong
}

// line is the result as JSON.
func (r Result) line() string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(r); err != nil {
		panic(err) // strings and numbers
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// with puts a result in its place among sorted ones, where one of the same release may be.
func with(results []Result, r Result) []Result {
	i, found := slices.BinarySearchFunc(results, r.Node, func(r Result, v string) int { return compare(r.Node, v) })
	if found {
		results[i] = r
		return results
	}
	return slices.Insert(results, i, r)
}

// numbers are those of a version such as 24.21.0; nil for one that is no release, such as 4.0.0-rc.1.
func numbers(version string) []int {
	parts := strings.Split(version, ".")
	if len(parts) != 3 {
		return nil
	}
	out := make([]int, 3)
	for i, p := range parts {
		n, err := strconv.Atoi(p)
		if err != nil {
			return nil
		}
		out[i] = n
	}
	return out
}

func compare(a, b string) int { return slices.Compare(numbers(a), numbers(b)) }

// oldest is the first release that is tried.
const oldest = "16.0.0"

// edges returns the first and the last patch of every minor since oldest, sorted.
func edges(versions []string) []string {
	all := slices.DeleteFunc(slices.Clone(versions), func(v string) bool {
		return numbers(v) == nil || compare(v, oldest) < 0
	})
	slices.SortFunc(all, compare)
	minor := func(i int) []int {
		if i < 0 || i >= len(all) {
			return nil
		}
		return numbers(all[i])[:2]
	}
	var out []string
	for i, v := range all {
		if !slices.Equal(minor(i), minor(i-1)) || !slices.Equal(minor(i), minor(i+1)) {
			out = append(out, v)
		}
	}
	return out
}
