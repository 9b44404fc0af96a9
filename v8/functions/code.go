package functions

import (
	"slices"
	"sort"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/optimized"
)

// maxCodes bounds the pieces of machine code that are kept of one process.
const maxCodes = 1 << 15

// code is a piece of machine code that was seen.
type code struct {
	*heap.Code
	in            uint64 // number of the isolate whose code it is
	tier          Tier
	tables                 // what is known of it
	unsure        *tables  // what was read of it when it may have been dead; nil: nothing
	unsureAt      uint64   // count of mark-compacts then
	checked       uint64   // round in which it was last found unchanged
	used          uint64   // round in which a sample was in it last
	listed        bool     // it is in codes.used
	found         int64    // when it had been read, on the clock of Now
	compacts      uint64   // count of mark-compacts when its tables had been; 0 = not known, or one was under way
	replaced      bool     // it was found in the place of other code
	counted       uint64   // round in which it was last found unchanged before mark-compacts were counted
	from, to      uint64   // counts of mark-compacts at which samples were in it; 0 = none
	tried         uint64   // count of mark-compacts at the sample for which it was last described
	gone          bool     // it is not kept any more
	text          []byte   // first instructions: those of its prologue, and more as far as there is room for them
	deferredStart int      // size of the code proper; what runs rarely is behind it; 0: not looked for yet
	frames        []*Frame // of a regular expression's code
}

// tables are what V8 knows of a piece of code.
type tables struct {
	optimized *optimized.Tables
	functions map[heap.Word]*function // of the optimised code: its own and those inlined
	baseline  *heap.Baseline
	id        heap.Identity    // of the function; baseline code does not tell: once a frame in it has told
	sfi       heap.Word        //
	marks     *optimized.Marks // of Maglev's code without positions; nil: not looked for yet
}

// unread are the tables of code that are not known.
var unread = tables{id: heap.Identity{Script: -1}}

// codes keeps code by address.
type codes struct {
	all   []*code // sorted, without overlaps
	text  int     // bytes of their text
	used  []*code // lately
	round uint64  // counts calls of Renew: during a round V8's code is taken to stay as it is
}

func (c *codes) find(pc uint64) *code {
	i := sort.Search(len(c.all), func(i int) bool { return c.all[i].End >= pc })
	if i < len(c.all) && pc >= c.all[i].Start {
		return c.all[i]
	}
	return nil
}

// put adds n and drops what it overlaps.
func (c *codes) put(n *code) {
	if len(c.all) >= maxCodes {
		c.forget(c.all)
		c.all = nil
	}
	low := sort.Search(len(c.all), func(i int) bool { return c.all[i].End > n.Start })
	high := sort.Search(len(c.all), func(i int) bool { return c.all[i].Start >= n.End })
	high = max(low, high)
	c.forget(c.all[low:high])
	c.all = slices.Replace(c.all, low, high, n)
}

// forget notes that pieces of code are not kept any more.
func (c *codes) forget(all []*code) {
	for _, old := range all {
		old.gone = true
		c.text -= len(old.text)
		old.text = nil
	}
}

// use notes that a sample is in a piece of code.
func (c *codes) use(n *code) {
	n.used = c.round
	if !n.listed {
		n.listed = true
		c.used = append(c.used, n)
	}
}

// checkedFor is how many rounds after a sample was in a piece of code it is checked with the others at once. Of what
// other samples are in, most was in one of the last eight rounds, and what has to be read alone takes a call of its
// own.
const checkedFor = 8

// keepUsed forgets of some pieces of code that samples were in them lately.
func (c *codes) keepUsed(keep func(*code) bool) {
	c.used = slices.DeleteFunc(c.used, func(n *code) bool {
		n.listed = keep(n)
		return !n.listed
	})
}

func (c *code) described() bool {
	return c.tier == NoTier || c.baseline != nil || c.optimized != nil
}

// take takes over what was read of the code when it may have been dead: it was not.
func (c *code) take() {
	if c.unsure != nil {
		c.tables, c.unsure = *c.unsure, nil
	}
}

// Limits of the instructions that are kept, which tell epilogues: bytes of one piece of code, and of all.
const (
	maxText    = 16 << 10
	maxAllText = 4 << 20
)
