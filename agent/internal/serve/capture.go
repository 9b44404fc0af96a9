package serve

import (
	"context"
	"errors"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/hotspan/hotspan/agent/api"
	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/pprofx"
)

// Limits of a Capture.
const (
	maxCaptureTime = time.Hour
	captureEvery   = 2 * time.Second // time that a snapshot covers
	defaultRate    = 99
	maxRateOwn     = 1000 // for a caller that may not have everything
	maxRules       = 32
	lastSamples    = 5 * time.Second // in which the caller reads what is left
)

type captureStream = grpc.BidiStreamingServer[api.CaptureRequest, api.StreamResponse]

// Capture samples a process until the duration is over, the caller has closed its side, or the process has ended.
func (s *Server) Capture(stream captureStream) error {
	r, err := firstRequest(stream) // a caller that asks for nothing has no place
	if err != nil {
		return err
	}
	who, end, err := s.begin(stream.Context(), s.captures)
	if err != nil {
		return err
	}
	of, f, err := newCapture(who, r)
	if err != nil {
		end()
		return err
	}
	ctx, stop := context.WithCancel(stream.Context())
	defer stop()
	of.Begun = func() { // before, files are read
		timer := time.AfterFunc(captureTime(r), stop)
		context.AfterFunc(ctx, func() { timer.Stop() })
	}
	if r.Duration == 0 {
		go func() {
			defer stop()
			awaitEnd(stream)
		}()
	}
	of.To = endsBy(stop, func(_ context.Context, snapshot *pprofx.Snapshot) error {
		return s.sendSamples(stream, f, &thinning{every: 1}, snapshot)
	})
	ended := make(chan error, 1)
	go func() {
		defer end()
		ended <- s.capture(ctx, of)
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-ended:
		return err
	case <-time.After(lastSamples): // to return ends what waits for the caller
		return status.Error(codes.DeadlineExceeded, "the samples are not read")
	}
}

// firstRequest returns what the caller asks for, if it does so soon. That Capture returns then ends Recv.
func firstRequest(stream captureStream) (*api.CaptureRequest, error) {
	var r *api.CaptureRequest
	received := make(chan error, 1)
	go func() {
		var err error
		r, err = stream.Recv()
		received <- err
	}()
	select {
	case err := <-received:
		return r, err
	case <-time.After(speakTime):
		return nil, status.Errorf(codes.DeadlineExceeded, "nothing was asked for in %v", speakTime)
	}
}

// capture runs until ctx ends or the agent does.
func (s *Server) capture(ctx context.Context, of Capture) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		select {
		case <-s.ended:
			stop()
		case <-ctx.Done():
		}
	}()
	err := s.config.Capture(ctx, of)
	switch {
	case errors.Is(err, errOther):
		return errOther
	case err != nil:
		return status.Errorf(codes.FailedPrecondition, "process %d: %v", of.PID, err)
	}
	return nil
}

type snapshotFunc = func(context.Context, *pprofx.Snapshot) error

// endsBy has an error end what the samples are taken for.
func endsBy(stop func(), to snapshotFunc) snapshotFunc {
	return func(ctx context.Context, snapshot *pprofx.Snapshot) error {
		err := to(ctx, snapshot)
		if err != nil {
			stop()
		}
		return err
	}
}

func captureTime(r *api.CaptureRequest) time.Duration {
	if d := time.Duration(r.Duration); d > 0 {
		return min(d, maxCaptureTime)
	}
	return maxCaptureTime
}

// awaitEnd returns when the caller has closed its side.
func awaitEnd(stream captureStream) {
	for {
		if _, err := stream.Recv(); err != nil {
			return
		}
	}
}

// newCapture checks a request. Without a process it is the caller's.
func newCapture(who caller, r *api.CaptureRequest) (of Capture, f *filter, err error) {
	p := r.Process
	if p.GetPid() == 0 {
		p = &api.Process{Pid: int32(who.pid)}
	}
	if f, err = newFilter(who, &api.Filter{Processes: []*api.Process{p}}); err != nil {
		return of, nil, err
	}
	of = Capture{PID: int(p.Pid), Rate: int(r.Rate), Rules: r.Rules, Every: captureEvery}
	switch {
	case of.Rate == 0:
		of.Rate = defaultRate
	case !who.all && of.Rate > maxRateOwn:
		return of, nil, status.Errorf(codes.PermissionDenied, "rate %d: more than %d are for root", of.Rate,
			maxRateOwn)
	}
	if len(of.Rules) > maxRules {
		return of, nil, status.Errorf(codes.InvalidArgument, "%d rules: at most %d", len(of.Rules), maxRules)
	}
	if procs.Ended(of.PID) {
		return of, nil, status.Errorf(codes.NotFound, "process %d is not running", of.PID)
	}
	return of, f, nil
}
