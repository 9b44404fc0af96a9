package serve

import (
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/hotspan/hotspan/agent/api"
	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/otlp"
	"github.com/hotspan/hotspan/pprofx"
)

// Samples sends the samples that are taken while the call lasts.
func (s *Server) Samples(r *api.SamplesRequest, to grpc.ServerStreamingServer[api.StreamResponse]) error {
	f, end, err := s.beginFiltered(to.Context(), r.Filter)
	if err != nil {
		return err
	}
	defer end()
	if pid := noneRuns(r.Filter.GetProcesses()); pid != 0 {
		return status.Errorf(codes.NotFound, "process %d is not running", pid)
	}
	every := &thinning{every: int64(max(r.OneIn, 1))}
	subscription := s.config.Feed.Subscribe(f.wants)
	defer subscription.Close()
	for {
		select {
		case snapshot := <-subscription.Snapshots():
			if err := s.sendSamples(to, f, every, snapshot); err != nil {
				return err
			}
		case <-subscription.Counted():
		case <-s.ended:
			return status.Error(codes.Unavailable, errEnding.Error())
		case <-to.Context().Done():
			return to.Context().Err()
		}
		if n := subscription.Lost(); n > 0 {
			err := f.runs.check()
			if err == nil {
				err = to.Send(lostEvent(&api.Lost{Reason: api.Lost_REASON_TOO_SLOW, Count: uint64(n)}))
			}
			if err != nil {
				return err
			}
		}
	}
}

// noneRuns returns the pid of a process if all of them have ended, so that no sample will ever come; else 0.
func noneRuns(all []*api.Process) (pid int32) {
	for _, p := range all {
		if pid = p.Pid; !procs.Ended(int(pid)) {
			return 0
		}
	}
	return pid
}

func (s *Server) sendSamples(
	to grpc.ServerStreamingServer[api.StreamResponse], f *filter, every *thinning, snapshot *pprofx.Snapshot,
) error {
	message := &api.Snapshot{Start: uint64(snapshot.Start), End: uint64(snapshot.End)}
	err := s.work(to.Context(), f.all, func() (err error) {
		message.Profiles, err = otlp.Encode(every.apply(f.apply(snapshot)), s.config.Build)
		return err
	})
	if err == nil {
		err = f.runs.check()
	}
	if err != nil {
		return err
	}
	return to.Send(snapshotEvent(message))
}

// thinning keeps one sample of several, which then stands for as much CPU time.
type thinning struct{ every, seen int64 }

func (t *thinning) apply(s *pprofx.Snapshot) *pprofx.Snapshot {
	if t.every == 1 {
		return s
	}
	out := *s.Where(func(*pprofx.Row) bool {
		t.seen++
		return t.seen%t.every == 0
	})
	out.Period *= t.every
	return &out
}
