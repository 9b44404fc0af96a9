package serve

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	"google.golang.org/grpc/status"

	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/pprof"
)

// A session is a capture that the npm package asks for, of its own process: POST /session?version=1&frequency=N over
// HTTP/1.1. The body of the request is a line for each command, snapshot or stop. The body of the answer has a line of
// JSON for each message: begun; shared, see shares.serve; snapshot, which is followed by as many bytes of pprof and of
// JSON, both gzipped, as it says; or error. Node.js has all that this takes, so the package needs no library.

const sessionVersion = 1

// sessionEvery is the time that a piece of a profile covers: so long may a snapshot take.
const sessionEvery = 100 * time.Millisecond

// maxSessionRows bounds the samples of a snapshot, and sessionsBytes what those of all sessions take until they are
// sent: about as much as an agent that profiles a whole machine. A user has half of what others leave.
const (
	maxSessionRows = 1 << 20
	sessionsBytes  = 128 << 20
	sessionsUser   = 0.5
)

// sessionMessage is a line of the answer.
type sessionMessage struct {
	Type    string `json:"type"` // begun, shared, snapshot or error
	Message string `json:"message,omitempty"`
	ID      string `json:"id,omitempty"`    // of the session, when it has begun
	Pprof   int    `json:"pprof,omitempty"` // bytes
	Samples int    `json:"samples,omitempty"`

	Start  string           `json:"start,omitempty"` // Unix time in nanoseconds: more than a double has room for
	End    string           `json:"end,omitempty"`
	Period int64            `json:"period,omitempty"` // CPU time of a sample, in nanoseconds
	Lost   map[string]int64 `json:"lost"`             // samples, by reason
}

// session is a session that is under way. All methods but add are called by the goroutine of its request, which may
// wait for the caller to read: pieces of the profile are added meanwhile.
type session struct {
	*Server
	writer  http.ResponseWriter
	filter  *filter
	caller  caller
	begun   chan struct{}
	sampled *os.File      // which the process may map, once begun is closed
	shared  *share        // has sampled, for as long as the session runs
	arrived chan struct{} // a piece
	want    int64         // a snapshot is to be sent up to this time, Unix time in nanoseconds; 0: none

	mu     sync.Mutex
	merger *pprofx.Merger
	bytes  int   // of the merger that the user's share has room for
	end    int64 // of the last piece, Unix time in nanoseconds
}

func (s *Server) session(w http.ResponseWriter, r *http.Request) {
	who, ok := r.Context().Value(callerKey{}).(caller)
	if !ok {
		http.Error(w, "the connection does not say who you are", http.StatusUnauthorized)
		return
	}
	if err := who.runs.check(); err != nil {
		http.Error(w, status.Convert(err).Message(), http.StatusForbidden)
		return
	}
	query := r.URL.Query()
	if v := query.Get("version"); v != strconv.Itoa(sessionVersion) {
		http.Error(w, fmt.Sprintf("this agent speaks version %d of the protocol, the package %q: install the same "+
			"version of both", sessionVersion, v), http.StatusUpgradeRequired)
		return
	}
	rate, err := strconv.Atoi(query.Get("frequency"))
	if err != nil || rate < 1 || !who.all && rate > maxRateOwn {
		http.Error(w, fmt.Sprintf("frequency: from 1 to %d", maxRateOwn), http.StatusBadRequest)
		return
	}
	if n := len(query["label"]); n > maxRules {
		http.Error(w, fmt.Sprintf("%d labels: at most %d", n, maxRules), http.StatusBadRequest)
		return
	}
	end, err := s.captures.take(who)
	if err != nil {
		http.Error(w, "too many profiles are being taken: try again later", http.StatusTooManyRequests)
		return
	}
	defer end()
	own := who
	own.all = false // what is asked for is of the own process
	f, err := newFilter(own, nil)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if !s.shares.reserve(who) {
		http.Error(w, "processes still have the memory of too many profiles that have ended: they close or unmap it, "+
			"or end", http.StatusTooManyRequests)
		return
	}
	c := &session{
		Server: s, writer: w, filter: f, caller: own, begun: make(chan struct{}),
		arrived: make(chan struct{}, 1), merger: pprofx.NewMerger(maxSessionRows),
	}
	defer func() { s.shares.release(who, c.shared) }()
	if err := http.NewResponseController(w).EnableFullDuplex(); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.WriteHeader(http.StatusOK)
	if err := c.run(r.Context(), Capture{PID: who.pid, Rate: rate, Rules: query["label"]}, r.Body); err != nil {
		_ = c.send(sessionMessage{Type: "error", Message: err.Error()}) // the caller has gone
	}
}

// run captures until the caller says stop, or has gone.
func (c *session) run(ctx context.Context, of Capture, commands io.Reader) error {
	ctx, stop := context.WithTimeout(ctx, maxCaptureTime)
	defer stop()
	of.Every, of.Begun, of.To = sessionEvery, func() { close(c.begun) }, endsBy(stop, c.add)
	of.Sampled = func(f *os.File) { c.sampled = f }
	defer func() { c.memory.Give(c.caller.uid, c.bytes) }() // after done
	defer func() { c.sampled.Close() }()                    // after done
	done := make(chan error, 1)
	go func() { done <- c.capture(ctx, of) }()
	said := readCommands(ctx, commands)
	begun := c.begun
	var shared <-chan struct{}
	for {
		var err error
		select {
		case <-begun:
			begun = nil
			var id string
			id, c.shared = c.shares.add(c.caller, c.sampled)
			defer c.shares.remove(id)
			shared = c.shared.sent
			err = c.send(sessionMessage{Type: "begun", ID: id})
		case <-shared:
			err = c.send(sessionMessage{Type: "shared"})
		case <-c.arrived:
			err = c.sendComplete()
		case command := <-said:
			if c.want = time.Now().UnixNano(); command != "snapshot" {
				said = nil
				stop()
			}
		case err := <-done:
			if err != nil || c.want == 0 {
				return err
			}
			return c.sendSnapshot()
		}
		if err != nil {
			stop()
			<-done
			return err
		}
	}
}

// readCommands returns the lines that the caller sends; an empty one when it has gone.
func readCommands(ctx context.Context, from io.Reader) <-chan string {
	said := make(chan string)
	go func() {
		lines := bufio.NewScanner(io.LimitReader(from, 1<<20))
		for more := true; more; {
			more = lines.Scan()
			select {
			case said <- lines.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	return said
}

// add adds a piece, whose time follows that of the one before. If it is more than the user's share has room for, it is
// the last that is kept before a snapshot: the samples of the others are lost, and counted.
func (c *session) add(_ context.Context, piece *pprofx.Snapshot) error {
	if err := c.filter.runs.check(); err != nil {
		return err
	}
	piece = c.filter.apply(piece)
	c.mu.Lock()
	err := c.merger.Add(piece)
	c.end = piece.End
	if grown := c.merger.Bytes() - c.bytes; c.memory.Take(c.caller.uid, grown) {
		c.bytes += grown
	} else {
		c.merger.LoseRest()
	}
	c.mu.Unlock()
	select {
	case c.arrived <- struct{}{}:
	default:
	}
	return err
}

// sendComplete sends the snapshot that is wanted, if all pieces of it have arrived.
func (c *session) sendComplete() error {
	c.mu.Lock()
	complete := c.want != 0 && c.end >= c.want
	c.mu.Unlock()
	if !complete {
		return nil
	}
	c.want = 0
	return c.sendSnapshot()
}

func (c *session) sendSnapshot() error {
	c.mu.Lock()
	s, held := c.merger.Snapshot(), c.bytes
	c.bytes = 0
	c.mu.Unlock()
	defer c.memory.Give(c.caller.uid, held)
	if s == nil {
		return nil
	}
	var profile, samples bytes.Buffer
	named := s.KeepLabels(func(l *pprofx.Label) bool { return l.Key != pprofx.ContextLabel })
	if err := pprof.Write(&profile, named); err != nil {
		return err
	}
	packed := gzip.NewWriter(&samples)
	err := json.NewEncoder(packed).Encode(sessionSamples(s))
	if err = errors.Join(err, packed.Close()); err != nil {
		return err
	}
	lost := map[string]int64{}
	for reason, n := range s.Lost {
		lost[reason.String()] = n
	}
	err = c.send(sessionMessage{
		Type: "snapshot", Pprof: profile.Len(), Samples: samples.Len(), Start: strconv.FormatInt(s.Start, 10),
		End: strconv.FormatInt(s.End, 10), Period: s.Period, Lost: lost,
	})
	if err == nil {
		_, err = c.writer.Write(profile.Bytes())
	}
	if err == nil {
		_, err = c.writer.Write(samples.Bytes())
	}
	if err != nil {
		return err
	}
	return http.NewResponseController(c.writer).Flush()
}

// writeTime is how long a caller may take to read what it was sent.
const writeTime = 10 * time.Minute

func (c *session) send(m sessionMessage) error {
	_ = http.NewResponseController(c.writer).SetWriteDeadline(time.Now().Add(writeTime)) // as its connections can
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if _, err := c.writer.Write(append(line, '\n')); err != nil {
		return err
	}
	return http.NewResponseController(c.writer).Flush()
}
