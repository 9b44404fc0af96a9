package jitdump

import (
	"cmp"
	"slices"
	"sort"
	"unsafe"

	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/agent/internal/share"
)

// Limits of what is kept of one file.
const (
	maxThere = 1 << 16  // pieces of code that are there
	maxEnded = 1 << 12  // pieces that are not there any more
	maxTexts = 16 << 20 // bytes of names of functions and files
	maxKept  = 1 << 17  // lines
)

// Of the memory that all files take, in bytes, those of one user's processes have userMemory, at most, of what those of
// others leave.
const maxMemory, userMemory = 64 << 20, 0.5

// memory is what they take, by user.
var memory = share.New[procs.User](maxMemory, userMemory)

// keepEnded is for how long, in nanoseconds, code is known that is not there any more: for samples taken before.
const keepEnded = 10e9

// always is the end of code that is there.
const always = ^uint64(0)

// piece is code at one place for some time.
type piece struct {
	start, end uint64 // addresses, [start, end)
	from, to   uint64 // times, [from, to)
	index      uint64
	name       string
	lines      []Line // by address: where the code was made
	moved      uint64 // how far it is from there
	texts      int    // bytes of the name and of the files
	probe      probe
	probed     int64 // by which reading of the file it was looked for in memory
	gone       bool  // it was not there
}

// codes knows what code was where, and when.
type codes struct {
	there []*piece                  // by address, without overlaps
	ended []*piece                  // in the order in which that was read
	last  uint64                    // the last time of a piece
	texts int                       // bytes, of both
	lines int                       // of both
	left  int64                     // pieces that are left out over the limits, or the lines of pieces
	late  int                       // later pieces that records met at their places
	taken int                       // bytes of memory, of both
	from  *share.Shares[procs.User] // what they are taken from; nil: they are not counted
	user  procs.User
}

// size is how many bytes of memory a piece takes.
func (p *piece) size() int {
	return int(unsafe.Sizeof(piece{})) + 8 + p.texts + len(p.lines)*int(unsafe.Sizeof(Line{}))
}

// take counts a piece, if there is room for it.
func (c *codes) take(p *piece) bool {
	if c.texts+p.texts > maxTexts || c.from != nil && !c.from.Take(c.user, p.size()) {
		return false
	}
	c.texts, c.lines, c.taken = c.texts+p.texts, c.lines+len(p.lines), c.taken+p.size()
	return true
}

// give counts a piece no more.
func (c *codes) give(p *piece) {
	c.texts, c.lines, c.taken = c.texts-p.texts, c.lines-len(p.lines), c.taken-p.size()
	if c.from != nil {
		c.from.Give(c.user, p.size())
	}
}

// clear forgets everything.
func (c *codes) clear() {
	if c.from != nil {
		c.from.Give(c.user, c.taken)
	}
	*c = codes{from: c.from, user: c.user}
}

// add handles what a file says next.
func (c *codes) add(r Record) {
	switch {
	case r.Code != nil:
		c.load(r.Code)
	case r.Move != nil:
		c.move(r.Move)
	case r.End != nil:
		c.put(&piece{end: always, from: r.End.Time, to: r.End.Time})
	}
}

func (c *codes) load(code *Code) {
	if len(code.Bytes) == 0 {
		return
	}
	p := &piece{
		start: code.Address, end: code.Address + max(code.Whole, uint64(len(code.Bytes))), from: code.Time, to: always,
		index: code.Index, name: cmp.Or(Text(code.Name), "[jit]"), probe: probeOf(code.Bytes),
	}
	if p.lines = code.Lines; c.lines+len(p.lines) > maxKept {
		p.lines = nil
		c.left++
	}
	sort.SliceStable(p.lines, func(i, j int) bool { return p.lines[i].Address < p.lines[j].Address })
	p.texts = len(p.name)
	files := map[string]bool{}
	for i := range p.lines {
		l := &p.lines[i]
		if l.File = Text(l.File); !files[l.File] {
			files[l.File] = true
			p.texts += len(l.File)
		}
	}
	c.put(p)
}

// move puts code elsewhere. Where the file has not said that it is there, nothing is known of the new place either.
func (c *codes) move(m *Move) {
	if m.From+m.Size < m.From || m.Address+m.Size < m.Address {
		return
	}
	to := piece{to: m.Time}
	if i := c.search(m.From); i < len(c.there) {
		if p := c.there[i]; p.start == m.From && p.end-p.start == m.Size && p.index == m.Index && p.from <= m.Time {
			to = *p
		}
	}
	c.put(&piece{start: m.From, end: m.From + m.Size, from: m.Time, to: m.Time}) // there is nothing now
	to.start, to.end, to.from, to.moved = m.Address, m.Address+m.Size, m.Time, to.moved+m.Address-m.From
	c.put(&to)
}

// put puts a piece in the place of those that it overlaps. One that ends when it begins ends those only. Threads may
// write pieces in another order than that of their times: of two at a place the later one ends the other.
func (c *codes) put(p *piece) {
	if p.from < c.last {
		c.cut(p)
	}
	c.last = max(c.last, p.from)
	low := c.search(p.start)
	high := low
	var newer []*piece
	for ; high < len(c.there) && c.there[high].start < p.end; high++ {
		if old := c.there[high]; old.from > p.from {
			p.to = min(p.to, old.from)
			newer = append(newer, old)
			c.late++
		} else {
			old.to = p.from
			c.ended = append(c.ended, old)
		}
	}
	if p.to > p.from && (len(c.there)-(high-low) >= maxThere || !c.take(p)) {
		c.left++
		p.to = p.from
	}
	if p.to > p.from {
		if p.to == always {
			newer = append(newer, p) // the only one
		} else {
			c.ended = append(c.ended, p)
		}
	}
	c.there = slices.Replace(c.there, low, high, newer...)
	if len(c.ended) > maxEnded {
		c.drop(len(c.ended) - maxEnded/2) // one piece may have ended many
	}
}

// cut ends a piece, and those that are not there any more, where they overlap.
func (c *codes) cut(p *piece) {
	for _, old := range c.ended {
		switch {
		case old.start >= p.end || old.end <= p.start:
		case old.from > p.from:
			p.to = min(p.to, old.from)
		default:
			old.to = min(old.to, p.from)
		}
	}
}

// forget forgets the code that had ended long before a time.
func (c *codes) forget(now uint64) {
	n := 0
	for n < len(c.ended) && now > keepEnded && c.ended[n].to < now-keepEnded {
		n++
	}
	c.drop(n)
}

// drop drops the first n pieces that are not there any more.
func (c *codes) drop(n int) {
	for _, p := range c.ended[:n] {
		c.give(p)
	}
	c.ended = slices.Delete(c.ended, 0, n)
}

// search returns the index of the first piece that ends behind an address.
func (c *codes) search(addr uint64) int {
	return sort.Search(len(c.there), func(i int) bool { return c.there[i].end > addr })
}

// find returns the code that was at an address at a time; nil: that is not known.
func (c *codes) find(addr, time uint64) *piece {
	if i := c.search(addr); i < len(c.there) && c.there[i].has(addr, time) {
		return c.there[i]
	}
	for _, p := range slices.Backward(c.ended) {
		if p.has(addr, time) {
			return p
		}
	}
	return nil
}

func (p *piece) has(addr, time uint64) bool {
	return p.start <= addr && addr < p.end && p.from <= time && time < p.to
}

// line returns the place in the source of an address in a piece; zero: not known.
func (p *piece) line(addr uint64) Line {
	addr -= p.moved
	i := sort.Search(len(p.lines), func(i int) bool { return p.lines[i].Address > addr })
	if i == 0 || p.lines[i-1].Line <= 0 {
		return Line{}
	}
	return p.lines[i-1]
}
