package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"
)

const resultsFile = "test/fuzz/results.jsonl"

// result is one run of a function.
type result struct {
	function
	Seconds    float64   // of CPU time
	Executions int       // inputs that were tried
	New        int       // inputs among them that reached code in a way that none before did
	Kept       int       `json:",omitempty"` // of these, how many were put into testdata
	Failed     string    `json:",omitempty"` // what failed, in a line
	At         time.Time // its end
	Go         string    // version, as go1.26.8
}

func (r result) String() string {
	out := fmt.Sprintf("%s: %d executions in %.0f s of CPU time, %d new inputs, %d kept", r.function, r.Executions,
		r.Seconds, r.New, r.Kept)
	if r.Failed != "" {
		out += ", FAILED: " + r.Failed
	}
	return out
}

// err is the failure, if there is one.
func (r result) err() error {
	if r.Failed == "" {
		return nil
	}
	return fmt.Errorf("%s: %s", r.function, r.Failed)
}

func appendResult(name string, r result) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	return errors.Join(json.NewEncoder(file).Encode(r), file.Close())
}

// least is the index of the function that has run for the shortest time.
func least(functions []function, results []result) (index int) {
	ran := map[function]float64{}
	for _, r := range results {
		ran[r.function] += r.Seconds
	}
	for i, f := range functions {
		if ran[f] < ran[functions[index]] {
			index = i
		}
	}
	return index
}
