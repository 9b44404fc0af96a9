package jitdump

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

// told is what records say of one byte of memory, by going through them again for each question.
func told(records []Record, addr, time uint64) string {
	slices.SortStableFunc(records, func(a, b Record) int { return int(int64(timeOf(a) - timeOf(b))) })
	var memory [64]struct {
		name         string
		index, start uint64
		size         uint64
	}
	clear := func(from, size uint64) {
		for i := from; i < from+size; i++ {
			if old := memory[i]; old.size > 0 { // code of which a part is overwritten is not there any more
				for j := old.start; j < old.start+old.size; j++ {
					memory[j].size, memory[j].name = 0, ""
				}
			}
		}
	}
	for _, r := range records {
		if timeOf(r) > time {
			break
		}
		switch {
		case r.Code != nil:
			c, n := r.Code, uint64(len(r.Code.Bytes))
			clear(c.Address, n)
			for i := c.Address; i < c.Address+n; i++ {
				memory[i].name, memory[i].index, memory[i].start, memory[i].size = c.Name, c.Index, c.Address, n
			}
		case r.Move != nil:
			m := r.Move
			was := memory[m.From]
			clear(m.From, m.Size)
			clear(m.Address, m.Size)
			if was.start == m.From && was.size == m.Size && was.index == m.Index {
				for i := m.Address; i < m.Address+m.Size; i++ {
					memory[i] = was
					memory[i].start = m.Address
				}
			}
		default:
			clear(0, uint64(len(memory)))
		}
	}
	return memory[addr].name
}

func timeOf(r Record) uint64 {
	switch {
	case r.Code != nil:
		return r.Code.Time
	case r.Move != nil:
		return r.Move.Time
	}
	return r.End.Time
}

// randomRecords are loads, moves and, rarely, an end. Loads may come in another order than that of their times, where
// there are no others.
func randomRecords(r *rand.Rand) (all []Record) {
	loads := []*Code{{Bytes: make([]byte, 1)}}
	mixed := r.IntN(2) == 0
	for i := range uint64(30) {
		time := 10*i + r.Uint64N(10)
		switch kind := r.IntN(20); {
		case !mixed && kind < 5:
			of := loads[r.IntN(len(loads))]
			n := uint64(len(of.Bytes))
			all = append(all, Record{Move: &Move{time, of.Index, of.Address, r.Uint64N(64 - n), n}})
		case !mixed && kind == 5:
			all = append(all, Record{End: &End{time}})
		default:
			at := r.Uint64N(60)
			text := make([]byte, 1+r.Uint64N(63-at))
			c := &Code{Time: time, Address: at, Index: i, Name: fmt.Sprint("f", i), Bytes: text}
			loads = append(loads, c)
			all = append(all, Record{Code: c})
		}
	}
	if mixed {
		for i := 1; i < len(all); i++ {
			if r.IntN(4) == 0 {
				all[i], all[i-1] = all[i-1], all[i]
			}
		}
	}
	return all
}

// TestCodes: each address has at each time the name that the records say.
func TestCodes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	named := 0
	for range 300 {
		records := randomRecords(r)
		var c codes
		for _, record := range records {
			c.add(record)
		}
		for range 500 {
			addr, time := r.Uint64N(64), r.Uint64N(320)
			got, want := "", told(slices.Clone(records), addr, time)
			if p := c.find(addr, time); p != nil {
				got = p.name
			}
			if want != "" {
				named++
			}
			if got != want {
				t.Fatalf("address %d at %d: %q, want %q", addr, time, got, want)
			}
		}
		c.forget(1e12)
		if len(c.ended) > 0 || !sound(&c) {
			t.Fatalf("%d pieces are not forgotten, or what is counted is not there: %+v", len(c.ended), c)
		}
	}
	if named < 10000 {
		t.Errorf("only %d had a name", named)
	}
}

// sound reports whether the code that is there is in order, without overlaps, and counted.
func sound(c *codes) bool {
	end, texts, lines := uint64(0), 0, 0
	for _, p := range c.there {
		if p.start < end || p.end <= p.start || p.to != always {
			return false
		}
		end = p.end
	}
	for _, p := range slices.Concat(c.there, c.ended) {
		texts, lines = texts+p.texts, lines+len(p.lines)
	}
	return texts == c.texts && lines == c.lines && lines <= maxKept && texts <= maxTexts &&
		len(c.there) <= maxThere && len(c.ended) <= maxEnded
}

// TestMostCodes: over the limits pieces are left out and counted, and what is in their place has no name.
func TestMostCodes(t *testing.T) {
	var c codes
	for i := range uint64(maxThere + 10) {
		c.add(Record{Code: &Code{Time: i, Address: 16 * i, Name: "f", Bytes: make([]byte, 16)}})
	}
	if c.left != 10 || c.find(16*maxThere, always-1) != nil || c.find(16*maxThere-1, always-1) == nil || !sound(&c) {
		t.Errorf("%d left out of %d", c.left, maxThere+10)
	}
	c.add(Record{Code: &Code{Time: 1 << 20, Address: 0, Name: "g", Bytes: make([]byte, 32)}})
	if p := c.find(20, 1<<20); p == nil || p.name != "g" {
		t.Errorf("%+v in the place of two", p)
	}
	lines := make([]Line, maxKept)
	for i := range uint64(2) {
		c.add(Record{Code: &Code{Time: 1<<20 + 1, Address: 64 * i, Name: "h", Bytes: make([]byte, 32), Lines: lines}})
	}
	if p := c.find(64, 1<<21); p == nil || p.name != "h" || len(p.lines) > 0 || c.left != 11 || !sound(&c) {
		t.Errorf("%d left out, the second with too many lines is %+v", c.left, p)
	}
}

// TestLines: an instruction has the line of its address, or of the last one before it, also where code was moved.
func TestLines(t *testing.T) {
	var c codes
	c.add(Record{Code: &Code{Time: 1, Address: 100, Index: 7, Name: "f", Bytes: make([]byte, 20),
		Lines: []Line{{110, "a", 3, 4}, {104, "a", 1, 2}}}})
	c.add(Record{Move: &Move{2, 7, 100, 300, 20}})
	for _, m := range []struct {
		addr, time uint64
		line       int
	}{
		{100, 1, 0}, {104, 1, 1}, {109, 1, 1}, {119, 1, 3}, {303, 2, 0}, {304, 2, 1}, {319, 2, 3},
	} {
		if p := c.find(m.addr, m.time); p == nil || p.line(m.addr).Line != m.line {
			t.Errorf("%d at %d: %+v, want line %d", m.addr, m.time, p, m.line)
		}
	}
}

// FuzzCodes: whatever a file has, what is kept of it is sound, and the same if the file is read in two parts.
func FuzzCodes(f *testing.F) {
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		f.Add(encode(f, order, sampleHeader, sampleRecords()...), 100)
	}
	if b, err := os.ReadFile("testdata/node-24.dump"); err != nil {
		f.Error(err)
	} else {
		f.Add(b, 1000)
	}
	f.Fuzz(func(t *testing.T, b []byte, part int) {
		_, whole, end := readAll(b)
		var c codes
		for _, r := range whole {
			c.add(r)
		}
		if !sound(&c) {
			t.Errorf("%+v", c)
		}
		d, n := readUpTo(b, min(max(part, 0), len(b)))
		if d == nil {
			return
		}
		d.Continue(bytes.NewReader(b[d.At():]))
		for {
			_, err := d.Next()
			if err != nil {
				if n != len(whole) || err.Error() != end.Error() {
					t.Errorf("%d records in two parts, then %v; want %d, then %v", n, err, len(whole), end)
				}
				return
			}
			n++
		}
	})
}

// readUpTo reads the first bytes of a file, and returns how many records were in them; nil if it need not be read on.
func readUpTo(b []byte, part int) (*Reader, int) {
	d, err := NewReader(bytes.NewReader(b[:part]))
	if err != nil {
		return nil, 0
	}
	for n := 0; ; n++ {
		if _, err = d.Next(); errors.Is(err, io.EOF) || errors.Is(err, ErrPartial) {
			return d, n
		} else if err != nil {
			return nil, 0
		}
	}
}

// TestManyEnd: of code that is not there any more little is kept, though one piece ends all that there is.
func TestManyEnd(t *testing.T) {
	const pieces = 2 * maxEnded
	var c codes
	for round := range uint64(2) {
		for i := range uint64(pieces) {
			c.add(Record{Code: &Code{Time: round*pieces + i, Address: 16 * i, Name: "f", Bytes: make([]byte, 16)}})
		}
		c.add(Record{Code: &Code{Time: (round + 1) * pieces, Name: "all", Bytes: make([]byte, 16*pieces)}})
		if len(c.there) != 1 || len(c.ended) > maxEnded {
			t.Errorf("%d pieces are there, and %d have ended", len(c.there), len(c.ended))
		}
	}
	if p := c.find(16*(pieces-1), 2*pieces-1); p == nil || p.name != "f" {
		t.Errorf("the piece that ended last is not known: %+v", p)
	}
}
