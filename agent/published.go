package agent

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/space"
	"github.com/hotspan/hotspan/agent/internal/threadlocal"
	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/pprofx"
	memory "github.com/hotspan/hotspan/v8/target"
)

// How often a process is asked whether what it publishes has changed, and how seldom, when it runs for long, whether it
// has begun to publish.
const (
	changedEvery = time.Second
	seldom       = 10 * time.Second
)

// published is what a process publishes for readers outside it.
type published struct {
	at        uint64          // address of the process context; 0 = none
	process   *reqctx.Process // nil = none, or not readable
	seen      uint64          // its publication that was looked at last, readable or not
	checked   time.Time
	asked     time.Time                 // for changes
	since     time.Time                 // when the process was attached to
	said      string                    // last message
	labelSets map[string][]pprofx.Label // by the bytes that they were made of: keys are numbers of this publication
}

// findPublished looks for what the process publishes, and reports whether the program must be told.
func (a *Agent) findPublished(t *target, now time.Time) bool {
	t.published.checked = now
	if at := t.space.ProcessContext(); at != t.published.at {
		t.published.at, t.published.seen = at, 0
		t.published.process = nil
	}
	a.readPublished(t)
	before := t.config.Published
	n := t.configurePublished()
	if files, _ := t.space.ThreadLocals(); n == 0 && len(files) > 0 && t.published.process == nil {
		t.published.say(a.log.Debug, "thread contexts are read only where there is a process context too", "pid", t.pid)
	}
	if n > len(before) {
		t.published.say(a.log.Warn, "process has more thread-local variables of contexts than are read", "pid", t.pid, "left out", n-len(before))
	}
	return t.config.Published != before
}

// readPublished reads the process context if it is another one than that which is known, and reports whether it is.
func (a *Agent) readPublished(t *target) bool {
	p, mem := &t.published, memory.Live{PID: t.pid}
	if p.at == 0 {
		return false
	}
	published, err := reqctx.PublishedAt(mem, p.at)
	if err == nil && (published == 0 || published == p.seen) {
		return false
	}
	p.seen = published
	process, err := reqctx.ReadProcess(mem, p.at)
	if errors.Is(err, reqctx.ErrChanging) {
		p.seen = 0
		return false
	}
	if errors.Is(err, unix.ESRCH) {
		return false // it has ended
	}
	if err != nil {
		p.say(a.log.Warn, "what the process publishes about itself is not used", "pid", t.pid, "why", err)
		return false
	}
	if process.Schema != "" && !process.HasThreads() {
		p.say(a.log.Warn, "the process publishes thread contexts in a schema that is not known", "pid", t.pid, "schema", process.Schema)
	}
	p.process, p.labelSets = process, map[string][]pprofx.Label{}
	t.process = describe(t.derived, process)
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
func describe(derived pprofx.Process, p *reqctx.Process) pprofx.Process {
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

// configurePublished tells the program where the variables are, and returns how many there are.
func (t *target) configurePublished() int {
	all := variables(memory.Live{PID: t.pid}, t.space, t.published.process)
	t.config.Published = [len(t.config.Published)]bpf.Published{}
	t.config.N_published = uint32(copy(t.config.Published[:], all))
	return len(all)
}

// variables are the places from which contexts of threads are read, by precedence. process may be nil.
func variables(mem io.ReaderAt, s *space.Space, process *reqctx.Process) []bpf.Published {
	files, musl := s.ThreadLocals()
	find := func(name string) []bpf.Place { return places(threadlocal.Find(mem, musl, files, name)) }
	var all []bpf.Published
	add := func(kind uint32, wrapped int, at, hash []bpf.Place) {
		for i, place := range at {
			p := bpf.Published{Kind: kind, Wrapped: int32(wrapped), At: place}
			if i < len(hash) {
				p.Hash = hash[i]
			}
			all = append(all, p)
		}
	}
	if process != nil && process.HasThreads() {
		add(bpf.PublishedNode, process.Wrapped, find(threadlocal.NodeContext), nil)
		add(bpf.PublishedThread, -1, find(threadlocal.ThreadContext), nil)
	}
	if hasLabels(mem, files) {
		add(bpf.PublishedNodeLabels, -1, find(threadlocal.LabelsHandle), find(threadlocal.LabelsHash))
		add(bpf.PublishedLabels, -1, find(threadlocal.LabelsSet), nil)
	}
	return all
}

// hasLabels reports whether a file has custom labels of the version that is known.
func hasLabels(mem io.ReaderAt, files []threadlocal.Loaded) bool {
	return slices.ContainsFunc(files, func(f threadlocal.Loaded) bool {
		at, ok := f.Defined[threadlocal.LabelsVersion]
		var b [4]byte
		if !ok {
			return false
		}
		_, err := mem.ReadAt(b[:], int64(f.Bias+at))
		return err == nil && binary.LittleEndian.Uint32(b[:]) == 1
	})
}

func places(list []threadlocal.Place) []bpf.Place {
	kinds := [...]uint32{
		threadlocal.Static: bpf.PlaceStatic, threadlocal.DTVGlibc: bpf.PlaceDTVGlibc, threadlocal.DTVMusl: bpf.PlaceDTVMusl,
	}
	var out []bpf.Place
	for _, p := range list {
		out = append(out, bpf.Place{Kind: kinds[p.Kind], Offset: p.Offset, Module: p.Module, Generation: p.Generation})
	}
	return out
}

// tendPublished looks whether what a process publishes has changed.
func (a *Agent) tendPublished(t *target, now time.Time) {
	p := &t.published
	every := min(max(now.Sub(p.since)/4, changedEvery), seldom)
	switch {
	case now.Sub(p.checked) > every:
		p.checked = now
		a.look(t, now) // a library may have come, or a process context
	case p.at != 0 && now.Sub(p.checked) > changedEvery && now.Sub(p.asked) > changedEvery:
		p.asked = now
		if a.readPublished(t) {
			a.look(t, now)
		}
	}
}

// publishedRecord keeps a part of what a thread had published when the sample was taken.
func (a *Agent) publishedRecord(t *target, kind, label uint8, data []byte) {
	t.flags.present = true
	if kind == bpf.ContextRecordOTel {
		a.threadContext(t, uint32(label), data)
		return
	}
	set := &t.learnt.sets[reqctx.PublishedLabels]
	l, ok := reqctx.LocalLabel(data, int(label))
	switch {
	case !ok:
		a.stats.BadLabels++
		t.flags.bad = true
	case l.Str != "" && !slices.ContainsFunc(*set, func(o reqctx.Label) bool { return o.Key == l.Key }):
		*set = append(*set, l) // of equal keys the first counts
	}
}

func (a *Agent) threadContext(t *target, kind uint32, data []byte) {
	p := t.published.process
	if p == nil {
		return
	}
	r, ok := reqctx.DecodeRecord(data, p.Keys)
	if ok && r.Unknown > 0 && a.readPublished(t) { // keys are added while the process runs
		a.builder.SetProcess(t.pid, t.process)
		r, ok = reqctx.DecodeRecord(data, t.published.process.Keys)
	}
	if !ok {
		return
	}
	a.stats.BadLabels += int64(r.Bad)
	t.flags.bad = t.flags.bad || r.Bad > 0
	t.flags.unknownKey = t.flags.unknownKey || r.Unknown > 0
	t.flags.overLimit = t.flags.overLimit || r.Cut
	reader := reqctx.PublishedThread
	if kind == bpf.PublishedNode {
		reader = reqctx.PublishedNode
	}
	if t.learnt.sets[reader] == nil {
		t.learnt.sets[reader] = r.Labels
	}
}
