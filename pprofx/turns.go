package pprofx

// LongTurn is how long a turn of an event loop lasts, in nanoseconds, whose samples keep its number in a Snapshot: half
// of what counts as a stall. Others have 0, since to tell each short turn from the next would take many times the room.
const LongTurn = 25e6

// loopThread is a thread, which may run an event loop.
type loopThread struct{ pid, tid int32 }

// turn is a turn of the loop of a thread, with the times of its first and last sample.
type turn struct {
	number      uint32
	first, last int64
}

// keepLongTurns sets Turn of those rows to 0 whose turn is short. Rows are in order of time. The first and the last
// turn of a thread may be parts of longer ones, so they stay.
func keepLongTurns(rows []Row) {
	turns := map[loopThread][]turn{}
	for i := range rows {
		r := &rows[i]
		if r.Turn == 0 {
			continue
		}
		key := loopThread{r.PID, r.TID}
		of := turns[key]
		if n := len(of); n > 0 && of[n-1].number == r.Turn {
			of[n-1].last = r.Time
			continue
		}
		turns[key] = append(of, turn{r.Turn, r.Time, r.Time})
	}
	at := map[loopThread]int{} // the turn in turns
	for i := range rows {
		r := &rows[i]
		if r.Turn == 0 {
			continue
		}
		key := loopThread{r.PID, r.TID}
		of, n := turns[key], at[key]
		if of[n].number != r.Turn {
			n++
			at[key] = n
		}
		if inside := n > 0 && n < len(of)-1; inside && of[n].last-of[n].first < LongTurn {
			r.Turn = 0
		}
	}
}
