package jsonl

import (
	"encoding/json"
	"fmt"

	"github.com/hotspan/hotspan/pprofx"
)

// header is what is true of all samples of a snapshot in JSON lines.
type header struct {
	Start     int64            `json:"start"`  // Unix time in nanoseconds
	End       int64            `json:"end"`    // the same, where the next snapshot may start
	Period    int64            `json:"period"` // CPU time that a sample stands for, in nanoseconds; see Measure
	Measure   pprofx.Measure   `json:"measure,omitzero"`
	Samples   int              `json:"samples"` // so many lines have its samples, this one and those that follow
	Lost      map[string]int64 `json:"lost,omitempty"`
	Processes map[int]process  `json:"processes,omitempty"` // by pid
}

type process struct {
	Executable string                     `json:"executable,omitempty"`
	Service    string                     `json:"service,omitempty"`
	Container  string                     `json:"container,omitempty"`
	Attributes map[string]json.RawMessage `json:"attributes,omitempty"` // strings and whole numbers
}

func newHeader(s *pprofx.Snapshot) *header {
	j := &header{
		Start: s.Start, End: s.End, Measure: s.Measure, Period: s.Period, Samples: len(s.Rows),
		Lost: map[string]int64{}, Processes: map[int]process{},
	}
	for reason, n := range s.Lost {
		j.Lost[reason.String()] += n
	}
	for pid, p := range s.Processes {
		if p.Equal(pprofx.Process{}) {
			continue
		}
		of := process{p.Executable, p.Service, p.Container, map[string]json.RawMessage{}}
		for key, value := range objectOf(p.Attributes) {
			of.Attributes[key] = encode(value)
		}
		j.Processes[pid] = of
	}
	return j
}

// snapshot returns the snapshot, without its samples.
func (j *header) snapshot() (*pprofx.Snapshot, error) {
	switch {
	case j.Period < 1 && j.Measure == pprofx.CPUTime, j.Period != j.Measure.Period(j.Period):
		return nil, fmt.Errorf("a period of %d ns", j.Period)
	case j.Samples < 0 || j.Samples > pprofx.MaxRows:
		return nil, fmt.Errorf("%d samples, at most %d are allowed", j.Samples, pprofx.MaxRows)
	}
	s := &pprofx.Snapshot{
		Start: j.Start, End: j.End, Measure: j.Measure, Period: j.Period,
		Processes: map[int]pprofx.Process{}, Lost: map[pprofx.LostReason]int64{},
	}
	for name, n := range j.Lost {
		reason := pprofx.LostUnknown // where a newer hotspan has more reasons
		_ = reason.UnmarshalText([]byte(name))
		s.Lost[reason] += n
	}
	for pid, p := range j.Processes {
		attributes, err := labelsOf(p.Attributes)
		if err != nil {
			return nil, fmt.Errorf("process %d: %w", pid, err)
		}
		s.Processes[pid] = pprofx.Process{
			Executable: p.Executable, Service: p.Service, Container: p.Container, Attributes: attributes,
		}
	}
	return s, s.Check()
}
