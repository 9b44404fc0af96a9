package truth

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// maxLine bounds a line, in bytes. The longest, a stack, has some hundreds.
const maxLine = 1 << 20

// ReadFile reads the log of a program from a file.
func ReadFile(name string) (*Log, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	l, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return l, nil
}

// Read reads a log. Its errors name the line.
func Read(r io.Reader) (*Log, error) {
	p := parser{log: &Log{}, stacks: map[int]stack{}}
	scanner := bufio.NewScanner(r)
	scanner.Buffer(nil, maxLine)
	n := 0
	for scanner.Scan() {
		n++
		if err := p.line(scanner.Bytes()); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := scanner.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", n+1, err)
	}
	return p.finish()
}

type parser struct {
	log    *Log
	stacks map[int]stack
}

// stack is a line that defines the number of a stack.
type stack struct {
	ID      int     `json:"id"`
	Name    string  `json:"name"`
	Pattern string  `json:"pattern"`
	Frames  []Frame `json:"frames"`
}

func (p *parser) line(data []byte) error {
	var kind struct {
		Kind string `json:"kind"`
	}
	if err := json.Unmarshal(data, &kind); err != nil {
		return err
	}
	switch kind.Kind {
	case "header":
		return json.Unmarshal(data, &p.log.Header)
	case "clock":
		return add(data, &p.log.Clocks)
	case "function":
		return add(data, &p.log.Functions)
	case "thread":
		return add(data, &p.log.Threads)
	case "stack":
		return p.stack(data)
	case "interval":
		return p.interval(data)
	}
	return fmt.Errorf("unknown kind %q", kind.Kind)
}

func add[T any](data []byte, list *[]T) error {
	var v T
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	*list = append(*list, v)
	return nil
}

func (p *parser) stack(data []byte) error {
	var s stack
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	if len(s.Frames) == 0 {
		return fmt.Errorf("stack %d: no frames", s.ID)
	}
	p.stacks[s.ID] = s
	return nil
}

// interval expects the stack that it refers to on an earlier line.
func (p *parser) interval(data []byte) error {
	var v struct {
		Start, End int64
		TID        int
		CPU        int64
		Stack      *int
		Label      *Label
	}
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	if v.End < v.Start {
		return fmt.Errorf("interval ends at %d, before its start %d", v.End, v.Start)
	}
	i := Interval{Start: v.Start, End: v.End, TID: v.TID, CPU: v.CPU, Label: v.Label}
	if v.Stack != nil {
		s, ok := p.stacks[*v.Stack]
		if !ok {
			return fmt.Errorf("interval in unknown stack %d", *v.Stack)
		}
		i.Stack, i.Name, i.Pattern = s.Frames, s.Name, s.Pattern
	}
	p.log.Intervals = append(p.log.Intervals, i)
	return nil
}

// finish sorts the intervals and checks those of a thread against each other.
func (p *parser) finish() (*Log, error) {
	l := p.log
	if l.Header.Program == "" || len(l.Clocks) == 0 {
		return nil, errors.New("no header or no clock: not a whole log")
	}
	slices.SortStableFunc(l.Intervals, func(a, b Interval) int {
		return cmp.Or(cmp.Compare(a.TID, b.TID), cmp.Compare(a.Start, b.Start))
	})
	l.threads = map[int][]Interval{}
	for i, v := range l.Intervals {
		if i > 0 && l.Intervals[i-1].TID == v.TID && v.Start < l.Intervals[i-1].End {
			return nil, fmt.Errorf("thread %d: the interval at %d starts before the one ahead of it ends", v.TID,
				v.Start)
		}
		l.threads[v.TID] = append(l.threads[v.TID], v)
	}
	return l, nil
}
