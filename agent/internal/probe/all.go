package probe

import (
	"fmt"

	"github.com/hotspan/hotspan/pprofx"
)

// ParseAll reads several probes, or names of recipes, in whose place it has their probes. The error says which is
// wrong, or that one is there twice.
func ParseAll(texts []string) ([]Spec, error) {
	var out []Spec
	seen := map[Spec]bool{}
	for _, text := range expand(texts) {
		s, err := Parse(text)
		if err != nil {
			return nil, err
		}
		same := s
		same.Text = ""
		if s.Kind == Syscall || s.Kind == SyscallEnd { // of which the BPF program knows one probe
			same.If, same.Weight, same.Every = Condition{}, Weight{}, 0
		}
		if seen[same] {
			return nil, fmt.Errorf("probe %s: it is there twice", text)
		}
		seen[same] = true
		out = append(out, s)
	}
	_, err := Measure(out)
	return out, err
}

// Measure is what samples of probes count. The error says that their values have different units.
func Measure(specs []Spec) (m pprofx.Measure, err error) {
	m = pprofx.HitCount
	for _, s := range specs {
		of := pprofx.HitCount
		switch {
		case s.Weight.Bytes:
			of = pprofx.HitBytes
		case s.Weight.Factors > 0:
			of = pprofx.HitValue
		}
		if of != pprofx.HitCount && m != pprofx.HitCount && of != m {
			return m, fmt.Errorf("probe %s: its value has another unit than that of the probes before", s.Text)
		}
		if of != pprofx.HitCount {
			m = of
		}
	}
	return m, nil
}

// Texts returns the probes as they were asked for, by their numbers in the BPF program, where 0 is none of them.
func Texts(specs []Spec) []string {
	out := make([]string, 1, 1+len(specs))
	for _, s := range specs {
		out = append(out, s.Text)
	}
	return out
}
