// Package serve answers on the agent's socket: with snapshots of the store, samples as they are taken, profiles at a
// rate of their own, and what the agent does. A caller gets what it has a right to: root, the user of the agent and
// members of a group everything, any other process what is its own.
package serve

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"time"

	"google.golang.org/grpc"

	"github.com/hotspan/hotspan/agent/api"
	"github.com/hotspan/hotspan/agent/internal/live"
	fair "github.com/hotspan/hotspan/agent/internal/share"
	"github.com/hotspan/hotspan/agent/internal/store"
	"github.com/hotspan/hotspan/otlp"
	"github.com/hotspan/hotspan/pprofx"
)

// Config says what a Server serves, and where.
type Config struct {
	Socket string // path of the Unix socket
	Group  string // name or number of the group whose members may have everything; empty: none
	Store  *store.Store
	Feed   *live.Feed
	// Capture samples until ctx ends.
	Capture func(ctx context.Context, of Capture) error
	// Status says what the agent does. It is called from any goroutine.
	Status func() *api.StatusResponse
	Build  otlp.Agent
	Log    *slog.Logger
}

// Capture is a profile of one process at a rate of its own.
type Capture struct {
	PID   int
	Rate  int      // samples per second on each CPU
	Rules []string // NAME=PATH
	To    func(context.Context, *pprofx.Snapshot) error

	Every time.Duration // time that a snapshot covers
	Begun func()        // called when sampling begins; nil: not
	// Sampled is called before, with what the process may map to learn which of its contexts are in samples. It closes
	// the file. nil: the process does not ask, and samples lack pprofx.ContextLabel.
	Sampled func(*os.File)
}

// Server serves until Close. It is safe for concurrent use.
type Server struct {
	api.UnimplementedProfilerServer
	config  Config
	ended   chan struct{} // closed by Close
	once    sync.Once
	servers []*grpc.Server
	http    *http.Server

	calls, captures *quota
	working         chan struct{} // bounds the snapshots that are read and encoded at the same time
	resting         chan struct{} // of those for callers that may not have everything there is one, and a rest after it
	shares          shares
	memory          *fair.Shares[uint32] // bytes of sessions, by user
}

// Limits of requests. Those of a caller that may not have everything are counted by user.
const (
	maxRequest      = 64 << 10 // bytes
	maxStreams      = 16       // calls on a connection
	maxCalls        = 64
	maxCallsUser    = 8
	maxCaptures     = 4
	maxCapturesUser = 2
	maxWorking      = 2
)

// leastCapture is how long a capture of a caller who may not have everything keeps its place, at least. To begin one
// takes a tenth of a second of CPU time, to load BPF programs: with all places that is as much as restFactor leaves.
const leastCapture = 4 * time.Second

// restFactor is how many times as long as work for a caller who may not have everything the rest is after it: all of
// them together take a tenth of a CPU at most, so that nobody can make the agent exceed its budget by much.
const restFactor = 9

// work does what takes much memory and time, a few at a time. all says that the caller may have everything.
func (s *Server) work(ctx context.Context, all bool, do func() error) error {
	if !all {
		select {
		case s.resting <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		begin := time.Now()
		defer func() { time.AfterFunc(restFactor*time.Since(begin), func() { <-s.resting }) }()
	}
	select {
	case s.working <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-s.working }()
	return do()
}

// SessionMaps returns how many BPF maps there are for processes that take profiles of themselves: of sessions that run,
// and those that processes still have of sessions that have ended. Who may not ask the kernel for the latter, without
// CAP_SYS_ADMIN, knows of none.
func (s *Server) SessionMaps() (running, ended int) { return s.shares.count() }

var errEnding = errors.New("it has just ended")

// begin returns who calls, and takes a place for the call, which end gives back.
func (s *Server) begin(ctx context.Context, places *quota) (who caller, end func(), err error) {
	if who, err = callerOf(ctx); err == nil {
		err = who.runs.check()
	}
	if err != nil {
		return who, nil, err
	}
	end, err = places.take(who)
	return who, end, err
}
