package labels

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/pprofx"
)

// How often a process is asked whether what it publishes has changed, and how seldom, when it runs for long, whether it
// has begun to publish.
const (
	changedEvery = time.Second
	seldom       = 10 * time.Second
)

// FindPublished looks for what the process publishes, and reports whether the BPF program must be told.
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
		w.say(log.Debug, "thread contexts are read only where there is a process context too", "pid", pid)
	}
	if n > len(before) {
		w.say(log.Warn, "process has more thread-local variables of contexts than are read", "pid", pid,
			"left out", n-len(before))
	}
	return p.config.Published != before
}

// readPublished reads the process context if it is another one than that which is known, and reports whether it is.
func (p *Process) readPublished() bool {
	w := &p.published
	if w.at == 0 {
		return false
	}
	log, pid := p.decoder.log, p.process.PID
	at, err := reqctx.PublishedAt(p.process.Memory, w.at)
	if err == nil && (at == 0 || at == w.seen) {
		return false
	}
	w.seen = at
	read, err := reqctx.ReadProcessContext(p.process.Memory, w.at)
	switch {
	case errors.Is(err, reqctx.ErrChanging):
		w.seen = 0
		return false
	case errors.Is(err, unix.ESRCH): // it has ended
		return false
	case err != nil:
		w.say(log.Warn, "what the process publishes about itself is not used", "pid", pid, "why", err)
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

// told are attributes for which the kernel's word counts: in a container a process knows other numbers and paths.
var told = []string{"process.pid", "process.executable.path", "process.executable.name"}

// say says something once, though it is found again and again.
func (p *published) say(log func(string, ...any), message string, more ...any) {
	if text := fmt.Sprint(message, more); text != p.said {
		p.said = text
		log(message, more...)
	}
}

// describe puts what a process says of itself over what was found out about it.
func describe(derived pprofx.Process, p *reqctx.ProcessContext) pprofx.Process {
	out := derived
	for _, l := range p.Resource {
		switch {
		case l.Key == "service.name" && l.Str != "":
			out.Service = l.Str
		case l.Key == "container.id" && l.Str != "":
			out.Container = l.Str
		case !slices.Contains(told, l.Key):
			out.Attributes = append(out.Attributes, pprofx.Label{Key: l.Key, Str: l.Str, Num: l.Num})
		}
	}
	return out
}

// configurePublished tells the BPF program where the variables are, and returns how many there are.
func (p *Process) configurePublished() int {
	all := Variables(p.process, p.published.process)
	p.config.Published = [len(p.config.Published)]bpf.Published{}
	p.config.N_published = uint32(copy(p.config.Published[:], all))
	return len(all)
}

// PublishedOutdated reports whether it is time to look again for what the process publishes: a library may have come,
// or a process context, or that has changed.
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

// publishedRecord keeps a part of what a thread had published when the sample was taken.
func (p *Process) publishedRecord(kind, label uint8, data []byte) {
	p.flags.Present = true
	if kind == bpf.ContextRecordOTel {
		p.threadContext(uint32(label), data)
		return
	}
	set := &p.context.sets[reqctx.PublishedLabels]
	l, ok := reqctx.DecodeCustomLabel(data, int(label))
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
	r, ok := reqctx.DecodeRecord(data, p.published.process.Keys)
	if ok && r.Unknown > 0 && p.readPublished() { // keys are added while the process runs
		r, ok = reqctx.DecodeRecord(data, p.published.process.Keys)
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
	if p.context.sets[reader] == nil {
		p.context.sets[reader] = r.Labels
	}
}
