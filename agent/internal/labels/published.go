package labels

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/context/published"
	"github.com/hotspan/hotspan/pprofx"
)

// seldom is how often hotspan searches for a publication in a process that has run for long.
const seldom = 10 * time.Second

// FindPublished searches for the contexts that the process publishes, and reports whether the configuration of the BPF
// program has changed.
func (p *Process) FindPublished(now time.Time) bool {
	w, log, pid := &p.published, p.decoder.log, p.process.PID
	w.checked = now
	if at := p.process.Mappings.ProcessContext(); at != w.at {
		w.at, w.seen = at, 0
		w.process = nil
	}
	p.readPublished()
	before := p.config.Published
	n := p.configurePublished()
	if files, _ := p.process.Mappings.ThreadLocals(); n == 0 && len(files) > 0 && w.process == nil {
		w.say(log.Debug, "thread contexts are read only if there is a process context too", "pid", pid)
	}
	if n > len(before) {
		w.say(log.Warn, "process has more thread-local variables of contexts than are read", "pid", pid,
			"left out", n-len(before))
	}
	if err := p.findPublishers(now); err != nil {
		log.Debug("threads that publish are not found", "pid", pid, "why", err)
	}
	return p.config.Published != before
}

// readPublished reads the process context if it has changed, and reports whether it has.
func (p *Process) readPublished() bool {
	w := &p.published
	if w.at == 0 {
		return false
	}
	log, pid := p.decoder.log, p.process.PID
	at, err := published.Time(p.process.Memory, w.at)
	if err == nil && (at == 0 || at == w.seen) {
		return false
	}
	w.seen = at
	read, err := published.ReadProcessContext(p.process.Memory, w.at)
	switch {
	case errors.Is(err, published.ErrChanging):
		w.seen = 0
		return false
	case errors.Is(err, unix.ESRCH): // the process has ended
		return false
	case err != nil:
		w.say(log.Warn, "process context is not used", "pid", pid, "why", err)
		return false
	}
	if read.Schema != "" && !read.HasThreadContexts() {
		w.say(log.Warn, "the process publishes thread contexts in a schema that is not known", "pid", pid, "schema",
			read.Schema)
	}
	w.process, w.labelSets = read, labelSets{}
	p.described, p.changed = describe(p.derived, read), true
	return true
}

// fromKernel are the attributes that hotspan takes from the kernel: in a container a process sees other ids and paths.
var fromKernel = []string{"process.pid", "process.executable.path", "process.executable.name"}

// say logs a message unless it is the same as the last one.
func (p *publication) say(log func(string, ...any), message string, more ...any) {
	if text := fmt.Sprint(message, more); text != p.said {
		p.said = text
		log(message, more...)
	}
}

// describe overrides what is known of a process from outside by what it publishes about itself.
func describe(derived pprofx.Process, p *published.ProcessContext) pprofx.Process {
	out := derived
	for _, l := range p.Resource {
		switch {
		case l.Key == "service.name" && l.Str != "":
			out.Service = l.Str
		case l.Key == "container.id" && l.Str != "":
			out.Container = l.Str
		case !slices.Contains(fromKernel, l.Key):
			other := func(known pprofx.Label) bool { return known.Key == l.Key }
			out.Attributes = append(slices.DeleteFunc(slices.Clone(out.Attributes), other),
				pprofx.Label{Key: l.Key, Str: l.Str, Num: l.Num})
		}
	}
	return out
}

// configurePublished adds the thread-local variables to the configuration of the BPF program, and returns how many
// there are.
func (p *Process) configurePublished() int {
	all := Variables(p.process, p.published.process)
	p.config.Published = [len(p.config.Published)]bpf.Published{}
	p.config.N_published = uint32(copy(p.config.Published[:], all))
	return len(all)
}

// PublishedOutdated reports whether it is time to call FindPublished again: a library or a process context may have
// been added, or the process context has changed.
func (p *Process) PublishedOutdated(now time.Time) bool {
	w := &p.published
	every := min(max(now.Sub(w.since)/4, changedEvery), seldom)
	switch {
	case now.Sub(w.checked) > every:
		w.checked = now
		return true
	case w.at != 0 && now.Sub(w.checked) > changedEvery && now.Sub(w.asked) > changedEvery:
		w.asked = now
		return p.readPublished()
	}
	return false
}

// publishedRecord decodes one record of what the thread published when the sample was taken.
func (p *Process) publishedRecord(kind, label uint8, data []byte) {
	p.flags.Present = true
	if kind == bpf.ContextRecordOTel {
		p.threadContext(uint32(label), data)
		return
	}
	set := &p.context.sets[reqctx.PublishedLabels]
	l, ok := published.DecodeCustomLabel(data, int(label))
	switch {
	case !ok:
		p.decoder.BadValues++
		p.flags.Invalid = true
	case l.Str != "" && !slices.ContainsFunc(*set, func(o reqctx.Label) bool { return o.Key == l.Key }):
		*set = append(*set, l) // of equal keys the first counts
	}
}

// threadContext decodes the record of a published kind.
func (p *Process) threadContext(kind uint32, data []byte) {
	if p.published.process == nil {
		return
	}
	r, ok := published.DecodeRecord(data, p.published.process.Keys)
	if ok && r.Unknown > 0 && p.readPublished() { // keys are added while the process runs
		r, ok = published.DecodeRecord(data, p.published.process.Keys)
	}
	if !ok {
		return
	}
	p.decoder.BadValues += int64(r.Bad)
	p.flags.Invalid = p.flags.Invalid || r.Bad > 0
	p.flags.UnknownKey = p.flags.UnknownKey || r.Unknown > 0
	p.flags.OverLimit = p.flags.OverLimit || r.Truncated
	reader := reqctx.PublishedThread
	if kind == bpf.PublishedNode {
		reader = reqctx.PublishedNode
	}
	if len(p.context.sets[reader]) == 0 {
		p.context.sets[reader] = r.Labels
	}
}
