package pprofx

// LongTurn is how long a turn of an event loop lasts, in nanoseconds, whose samples keep its number in a Snapshot: half
// of what counts as a stall. Others have 0, since to tell each short turn from the next would take many times the room.
const LongTurn = 25e6

// loopThread is a thread, which may run an event loop.
type loopThread struct{ pid, tid int32 }

// openTurn is the turn of a loop that the last row of its thread is in.
type openTurn struct {
	rows  []int32 // its rows so far
	begun int64   // when the first of them was taken, or its wait began
	first bool    // it is the first one of the thread
}

// keepLongTurns sets Turn of those rows to 0 whose turn is short. Rows are in order of time. The first and the last
// turn of a thread may be parts of longer ones, so they stay.
func keepLongTurns(rows []Row, m Measure) {
	turns := map[loopThread]*openTurn{}
	for i := range rows {
		r := &rows[i]
		if r.Turn == 0 {
			continue
		}
		key := loopThread{r.PID, r.TID}
		t := turns[key]
		switch {
		case t == nil:
			t = &openTurn{first: true}
			turns[key] = t
		case rows[t.rows[0]].Turn != r.Turn:
			t.end(rows)
		}
		if len(t.rows) == 0 {
			t.begun = r.Time
			if m.Timed() {
				t.begun -= r.Weight
			}
		}
		t.rows = append(t.rows, int32(i))
	}
}

// end sets Turn of the rows of a turn to 0 if it is short, and begins the next one.
func (t *openTurn) end(rows []Row) {
	last := rows[t.rows[len(t.rows)-1]]
	if !t.first && last.Time-t.begun < LongTurn {
		for _, i := range t.rows {
			rows[i].Turn = 0
		}
	}
	t.rows, t.first = t.rows[:0], false
}
