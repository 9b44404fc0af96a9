package verify

import "io"

// The memory of a process is read a page at a time, since what is compared lies close together: of some 12,000 reads
// that the comparisons make, a few hundred reach the process.
const (
	pageSize = 4096
	maxPages = 1024 // kept at a time
)

// pages is memory of which each page is read once. A page is readable as a whole, or not at all.
type pages struct {
	mem  io.ReaderAt
	read map[int64][]byte
}

// forget has all pages read again. What is compared may have changed meanwhile, so each comparison begins with it.
func (m *pages) forget() { m.read = map[int64][]byte{} }

// ReadAt reads len(p) bytes at the address off.
func (m *pages) ReadAt(p []byte, off int64) (int, error) {
	if len(p) >= pageSize {
		return m.mem.ReadAt(p, off)
	}
	n := 0
	for n < len(p) {
		at := off + int64(n)
		page, err := m.page(at &^ (pageSize - 1))
		if err != nil {
			return n, err
		}
		n += copy(p[n:], page[at&(pageSize-1):])
	}
	return n, nil
}

func (m *pages) page(at int64) ([]byte, error) {
	if b := m.read[at]; b != nil {
		return b, nil
	}
	b := make([]byte, pageSize)
	if _, err := m.mem.ReadAt(b, at); err != nil {
		return nil, err
	}
	if len(m.read) >= maxPages {
		m.forget()
	}
	m.read[at] = b
	return b, nil
}
