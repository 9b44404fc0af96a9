package sampler

import "container/heap"

// turns says which record of the ring buffer is read next, so that a process that takes little does not wait behind one
// that takes much: to name what is new takes from microseconds to tenths of a second. The records of one process are
// read in their order. Of processes the one comes first for which least will have been done with its next record. One
// that had no record begins where the one is whose turn it was last, so that those that go on and on have their turns
// too. (P. Goyal, H. M. Vin, H. Cheng: Start-time Fair Queueing, SIGCOMM 1996) When no record is left all are even. A
// ring buffer that is half full is read by age: a record frees no room before those that are older. It is not safe for
// concurrent use.
type turns struct {
	*ring
	process func(record []byte) uint32 // whose it is

	records []record // that were looked at, by age
	removed int      // how many of these were read, before the oldest that was not
	first   uint64   // the number of the first; the next one's is greater by one
	queues  map[uint32]*queue
	waiting queues
	reading *queue // of the record that next has returned; nil: none is in use
	work    int    // that it took
	even    int64  // work done for the process whose turn it was last
	most    int64  // and for the one that had most
}

// record is a record in the ring buffer.
type record struct {
	b    []byte
	end  uint64 // the position behind it
	next uint64 // number of the next one of the process, if there is one
	of   *queue // nil: it was read
}

// queue has the records of a process.
type queue struct {
	n           int
	first, last uint64 // their numbers
	done        int64  // work for the process
	expected    int64  // work for its next record
	at          int    // in queues
}

// queues are those that have records: a heap.Interface.
type queues []*queue

func (q queues) Len() int    { return len(q) }
func (q *queues) Push(x any) { *q = append(*q, x.(*queue)) }
func (q queues) Less(i, j int) bool {
	a, b := q[i].done+q[i].expected, q[j].done+q[j].expected
	return a < b || a == b && q[i].first < q[j].first
}

func (q queues) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].at, q[j].at = i, j
}

func (q *queues) Pop() any {
	last := len(*q) - 1
	x := (*q)[last]
	*q = (*q)[:last]
	return x
}

// firstWork is what is expected of the first record of a process: more than naming takes later, mostly.
const firstWork = 1000

// maxQueues is of how many processes a queue is kept that is empty.
const maxQueues = 1 << 10

func newTurns(r *ring, process func([]byte) uint32) *turns {
	return &turns{ring: r, process: process, queues: map[uint32]*queue{}}
}

// lookAhead returns the first record that neither it nor next has looked at, nil if there is none.
func (t *turns) lookAhead() []byte {
	b := t.ring.lookAhead()
	if b == nil {
		return nil
	}
	of := t.process(b)
	q := t.queues[of]
	if q == nil {
		q = &queue{expected: firstWork}
		t.queues[of] = q
	}
	number := t.first + uint64(len(t.records))
	t.records = append(t.records, record{b: b, end: t.ahead, of: q})
	if q.n++; q.n == 1 {
		q.first, q.done, q.at = number, max(q.done, t.even), len(t.waiting)
		heap.Push(&t.waiting, q)
	} else {
		t.records[q.last-t.first].next = number
	}
	q.last = number
	return b
}

// next returns the record whose turn it is, nil if there is none. It is valid until free, which next calls first.
func (t *turns) next() []byte {
	t.free()
	if len(t.waiting) == 0 && t.lookAhead() == nil {
		t.ring.free(t.ahead)
		return nil
	}
	t.reading = t.waiting[0]
	t.even = t.reading.done
	if t.produced.Load()-t.at > t.mask/2 {
		t.reading = t.records[t.removed].of
	}
	return t.records[t.reading.first-t.first].b
}

// free gives back the record that next has returned.
func (t *turns) free() {
	q := t.reading
	if q == nil {
		return
	}
	r := &t.records[q.first-t.first]
	q.done += 1 + int64(t.work)
	q.expected = max(int64(t.work), q.expected/2)
	t.most = max(t.most, q.done)
	t.reading, t.work, r.of, q.first = nil, 0, nil, r.next
	if q.n--; q.n == 0 {
		heap.Remove(&t.waiting, q.at)
	} else {
		heap.Fix(&t.waiting, q.at)
	}
	for ; t.removed < len(t.records) && t.records[t.removed].of == nil; t.removed++ {
		t.ring.free(t.records[t.removed].end)
	}
	if t.removed > len(t.records)/2 {
		t.first += uint64(t.removed)
		t.records, t.removed = t.records[:copy(t.records, t.records[t.removed:])], 0
	}
	if len(t.waiting) == 0 {
		if t.even = t.most; len(t.queues) > maxQueues {
			clear(t.queues)
		}
	}
}

// oldest returns the first record that was looked at and not given back, nil if there is none.
func (t *turns) oldest() []byte {
	if len(t.records) == 0 {
		return nil
	}
	return t.records[t.removed].b
}
