package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/google/pprof/profile"
)

// countSamples is how many samples a pprof file has.
func countSamples(path string) (int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	p, err := profile.Parse(f)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	if len(p.SampleType) == 0 || p.SampleType[0].Unit != "count" {
		return 0, fmt.Errorf("%s: the first value of a sample is no count", path)
	}
	var n int64
	for _, s := range p.Sample {
		n += s.Value[0]
	}
	return n, nil
}

// firstNamed is when the first named sample was taken, of a file of JSON lines; false if there is none.
func firstNamed(path string) (time.Time, bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return time.Time{}, false, err
	}
	defer f.Close()
	first := time.Time{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var sample struct {
			T     int64
			Stack []struct{ F string }
		}
		if err := json.Unmarshal(lines.Bytes(), &sample); err != nil {
			return time.Time{}, false, fmt.Errorf("%s: %w", path, err)
		}
		for _, f := range sample.Stack {
			if t := time.Unix(0, sample.T); ownFunctions[f.F] && (first.IsZero() || t.Before(first)) {
				first = t
			}
		}
	}
	return first, !first.IsZero(), lines.Err()
}
