package space

const linkWords = 64 // of a page's head, among which are its links: to the next page of its space and the one before

// findUnused finds the pages of the young generation without objects: those of one half of it, and in the other half
// those behind the page on which objects are made now. What is on them was there before the last collection.
func (h *Heap) findUnused() {
	before := h.findLinks()
	used := map[uint64]bool{}  // pages by their heads
	known := map[uint64]bool{} // spaces of which the page is known on which objects are made now
	for _, areas := range h.areas {
		for _, a := range areas {
			p := h.pageOf(a.limit - 1)
			if p == nil || !p.isNew() {
				continue
			}
			known[p.owner] = true
			for head := p.head; head != 0 && !used[head]; head = before[head] {
				used[head] = true
			}
		}
	}
	for i := range h.pages {
		p := &h.pages[i]
		p.unused = p.isNew() && (p.flags&fromPage != 0 || known[p.owner] && !used[p.head])
	}
}

// findLinks finds the page before each page of the young generation, by their heads. Where the links are shows in them:
// they are those two words of which the first leads to a page whose second one leads back, on more pages than any other
// two. (src/base/list.h, ListNode: next, then previous)
func (h *Heap) findLinks() map[uint64]uint64 {
	heads := map[uint64][]uint64{}
	for i := range h.pages {
		if p := &h.pages[i]; p.isNew() {
			if w, ok := words(h.mem, p.head, linkWords); ok {
				heads[p.head] = w
			}
		}
	}
	var out map[uint64]uint64
	for i := range linkWords - 1 {
		before := map[uint64]uint64{}
		for head, w := range heads {
			if next := heads[w[i]]; next != nil && w[i] != head && next[i+1] == head {
				before[w[i]] = head
			}
		}
		if len(before) > len(out) {
			out = before
		}
	}
	return out
}
