package elffile

import (
	"debug/elf"
	"errors"
	"io"
	"sync"

	"github.com/hotspan/hotspan/agent/internal/priority"
	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/agent/internal/symbols"
	"github.com/hotspan/hotspan/agent/internal/threadlocal"
	"github.com/hotspan/hotspan/agent/internal/unwind"
	"github.com/hotspan/hotspan/agent/internal/uvpool"
	"github.com/hotspan/hotspan/v8/elfheaders"
	"github.com/hotspan/hotspan/v8/layout"
)

// head is what is read of a file first: the build id and where the file's parts are.
type head struct {
	elf     *elf.File
	buildID string
	err     error // of the build id
}

func readHead(r io.ReaderAt) (h head, err error) {
	if h.elf, err = elfheaders.Open(r); err != nil {
		return h, err
	}
	h.buildID, h.err = symbols.BuildID(h.elf)
	return h, nil
}

// debug reads the debug file of a file without symbols, below one of the roots, until done. It is nil if there is none.
func (h *head) debug(roots []string) (s *stableFile, done func(), err error) {
	done = func() {}
	if h.elf.Section(".symtab") != nil {
		return nil, done, nil
	}
	f, err := openDebug(roots, h.buildID)
	if f == nil {
		return nil, done, err
	}
	if s, err = newStableFile(f); err != nil {
		procs.Close(f)
		return nil, done, err
	}
	return s, func() { s.close(); procs.Close(f) }, nil
}

// builtins returns V8's builtins of a file whose symbols do not name them, by the names that the symbols would have.
func (h *head) builtins(r, debug io.ReaderAt) (all []symbols.Symbol) {
	if debug != nil || h.elf.Section(".symtab") != nil {
		return nil
	}
	for _, b := range layout.Builtins(r) {
		all = append(all, symbols.Symbol{Name: symbols.Builtins + b.Name, Start: b.Start, Size: uint64(b.Size)})
	}
	return all
}

// parseLayout reads only the layout of the V8 in a file.
func parseLayout(r, debug io.ReaderAt) *contents {
	c := new(contents)
	h, err := readHead(r)
	if err != nil {
		c.note("", err)
		return c
	}
	c.start(h)
	c.layout, err = layout.ReadWith(r, debug)
	c.note("V8", noV8(err))
	return c
}

func (c *contents) start(h head) {
	c.segments, c.buildID = symbols.SegmentsOf(h.elf), h.buildID
	c.note("build id", h.err)
}

// noV8 drops an error that only says that there is no V8.
func noV8(err error) error {
	if errors.Is(err, layout.ErrNotV8) {
		return nil
	}
	return err
}

// parse reads a file. debug is the separate debug file; nil for none.
func parse(r, debug io.ReaderAt) *contents {
	c := parseParts(r, debug)
	c.pack()
	return c
}

// pack has the contents use nothing of what the file was read into.
func (c *contents) pack() {
	if c.symbols == nil {
		return
	}
	if err := c.symbols.Pack(); err != nil {
		c.note("symbols", err)
		c.symbols = nil
	}
}

// parseParts is parse without pack. It reads the parts concurrently: Node.js has some hundred thousand symbols and as
// many unwind rules.
func parseParts(r, debug io.ReaderAt) *contents {
	c := new(contents)
	h, err := readHead(r)
	if err != nil {
		c.note("", err)
		return c
	}
	c.start(h)
	var errs [5]error
	var parts sync.WaitGroup
	run := func(part func()) {
		parts.Go(func() {
			defer priority.Background()()
			part()
		})
	}
	run(func() {
		if c.symbols, errs[0] = symbols.OpenWith(r, debug, h.builtins(r, debug)...); c.symbols != nil {
			c.pool, errs[4] = uvpool.Find(h.elf, c.symbols)
		}
	})
	run(func() { c.rules, errs[1] = unwind.Build(h.elf) })
	run(func() { c.layout, errs[2] = layout.ReadWith(r, debug) })
	run(func() { c.threadLocals, errs[3] = threadlocal.Read(h.elf) })
	parts.Wait()
	errs[2] = noV8(errs[2])
	for i, what := range []string{"symbols", "unwind rules", "V8", "thread-local variables", "thread pool"} {
		c.note(what, errs[i])
	}
	return c
}
