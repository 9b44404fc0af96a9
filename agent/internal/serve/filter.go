package serve

import (
	"context"
	"math"
	"slices"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/hotspan/hotspan/agent/api"
	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/pprofx"
)

// Limits of a Filter.
const maxConditions = 256

// filter chooses what one caller gets.
type filter struct {
	samples     pprofx.Filter
	allow, deny []string // names of labels; no allow: all
	noAddresses bool     // of the kernel
	all         bool     // the caller may have everything
	runs        *program // which the caller must still run
}

// newFilter returns the filter of a request. A caller that may not have everything gets what is of its process.
func newFilter(who caller, f *api.Filter) (*filter, error) {
	out := &filter{allow: f.GetAllowLabels(), deny: f.GetDenyLabels(), all: who.all, runs: who.runs}
	out.samples.Services = f.GetServices()
	conditions := len(f.GetServices()) + len(f.GetProcesses()) + len(out.allow) + len(out.deny)
	for _, l := range f.GetLabels() {
		conditions += 1 + len(l.Values)
		out.samples.Labels = append(out.samples.Labels, pprofx.LabelFilter{Key: l.Name, Values: l.Values})
	}
	if conditions > maxConditions {
		return nil, status.Errorf(codes.InvalidArgument, "%d conditions: at most %d", conditions, maxConditions)
	}
	for _, p := range f.GetProcesses() {
		if err := out.addProcess(who, p); err != nil {
			return nil, err
		}
	}
	if !who.all {
		out.samples.Since, out.noAddresses = map[int]int64{who.pid: who.born}, true
	}
	return out, nil
}

// addProcess chooses a process, and no earlier one of the same pid.
func (f *filter) addProcess(who caller, p *api.Process) error {
	pid, since := int(p.Pid), int64(math.MinInt64)
	if p.Started != 0 && procs.Started(pid) == p.Started {
		since = born(pid, time.Now())
	} else if p.Started != 0 {
		return status.Errorf(codes.NotFound, "process %d that started at tick %d has ended", pid, p.Started)
	}
	if !who.all && pid != who.pid {
		return status.Errorf(codes.PermissionDenied, "process %d is not yours: root may have it", pid)
	}
	if f.samples.Since == nil {
		f.samples.Since = map[int]int64{}
	}
	f.samples.Since[pid] = since
	return nil
}

// keepsAll reports whether the filter changes nothing in snapshots of any time.
func (f *filter) keepsAll() bool {
	s := &f.samples
	return len(s.Services) == 0 && s.Since == nil && len(s.Labels) == 0 && s.From == 0 && s.To == 0 &&
		len(f.allow) == 0 && len(f.deny) == 0 && !f.noAddresses
}

// wants returns how many samples of a snapshot the caller gets.
func (f *filter) wants(s *pprofx.Snapshot) int64 {
	if s = f.samples.Apply(s); s == nil {
		return 0
	}
	return int64(len(s.Rows))
}

// apply returns what the caller gets of a snapshot; nil if it is of another time.
func (f *filter) apply(s *pprofx.Snapshot) *pprofx.Snapshot {
	if s = f.samples.Apply(s); s == nil {
		return nil
	}
	if len(f.allow) > 0 || len(f.deny) > 0 {
		s = s.KeepLabels(func(l *pprofx.Label) bool {
			allowed := len(f.allow) == 0 || pprofx.MatchesName(l.Key, f.allow)
			return allowed && !pprofx.MatchesName(l.Key, f.deny)
		})
	}
	if f.noAddresses {
		s = withoutKernelAddresses(s)
	}
	return s
}

// withoutKernelAddresses hides where the kernel is: the kernel does not tell it to everybody either
// (Documentation/admin-guide/sysctl/kernel.rst, kptr_restrict).
func withoutKernelAddresses(s *pprofx.Snapshot) *pprofx.Snapshot {
	out := *s
	out.Frames = slices.Clone(s.Frames)
	for i, f := range out.Frames {
		if f.Kind == pprofx.Kernel {
			hidden := *f
			hidden.Address = 0
			out.Frames[i] = &hidden
		}
	}
	return &out
}

// beginFiltered takes a place for a call, which end gives back, and returns the filter of what the caller asks for.
func (s *Server) beginFiltered(ctx context.Context, ask *api.Filter) (f *filter, end func(), err error) {
	who, end, err := s.begin(ctx, s.calls)
	if err != nil {
		return nil, nil, err
	}
	if f, err = newFilter(who, ask); err != nil {
		end()
		return nil, nil, err
	}
	return f, end, nil
}
