// Package pyroscope sends snapshots to Pyroscope: a pprof profile for each service, by the push API.
package pyroscope

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"path"
	"strings"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/hotspan/hotspan/otlp"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/pprof"
)

// Config says how to reach a server.
type Config struct {
	URL       string            // http://HOST:PORT, to which the path of the API is added
	Headers   map[string]string // sent with each request, such as authorization and x-scope-orgid
	TLS       *tls.Config
	Timeout   time.Duration // of one request
	UserAgent string
	// ProfilePer names a label of which each value is a series of its own, see pprofx.Snapshot.GroupBy; empty for none.
	// Samples do not have the label then.
	ProfilePer string
}

// Pusher sends snapshots to one server. It is safe for concurrent use.
type Pusher struct {
	config Config
	client *http.Client
	mute   atomic.Bool // the last request had no answer
}

// pushPath is the procedure of push.v1.PusherService, which Connect serves over HTTP.
const pushPath = "/push.v1.PusherService/Push"

// New returns a Pusher. It does not connect.
func New(c Config) *Pusher {
	through := http.DefaultTransport.(*http.Transport).Clone()
	through.TLSClientConfig = c.TLS
	return &Pusher{config: c, client: &http.Client{Transport: through, CheckRedirect: otlp.NoRedirect}}
}

// Close closes idle connections.
func (p *Pusher) Close() error {
	p.client.CloseIdleConnections()
	return nil
}

// Write sends each profile in a request of its own: Pyroscope stores the profiles of a request that it takes, although
// it answers with the refusal of another. One that is refused is sent as two halves; then the error is that of the
// server, or an *otlp.PartialError in samples if others were taken. A snapshot without rows is not sent. Errors are as
// otlp.Refused expects them.
func (p *Pusher) Write(ctx context.Context, s *pprofx.Snapshot) error {
	var refusal error
	refused := &otlp.PartialError{Endpoint: "pyroscope", Of: int64(len(s.Rows)), What: "samples"}
	for all := allSeries(s, p.config.ProfilePer); len(all) > 0; {
		one := all[0]
		all = all[1:]
		message, err := one.request()
		if err != nil {
			return err
		}
		switch err = p.push(ctx, message); {
		case err == nil:
		case !otlp.Refused(err):
			return err
		case !one.half && len(one.of.Rows) > 1:
			all = append(one.halves(), all...)
		default:
			refusal = err
			refused.Rejected += int64(len(one.of.Rows))
		}
	}
	if refusal == nil || refused.Rejected == refused.Of {
		return refusal
	}
	refused.Message = refusal.Error()
	return refused
}

// Try sends a request without profiles. The error says why the server would not take profiles either. Pyroscope has
// read one that it calls invalid, since there are none.
func (p *Pusher) Try(ctx context.Context) error {
	err := p.push(ctx, nil)
	if otlp.Refused(err) && strings.Contains(err.Error(), "invalid_argument") {
		return nil
	}
	return err
}

// Speaks says what a Pusher sends.
func (p *Pusher) Speaks() string { return "Pyroscope, " + pushPath }

// push sends a push.v1.PushRequest, after a request without an answer over another connection, as package otlp does.
func (p *Pusher) push(ctx context.Context, message []byte) (err error) {
	if p.mute.Swap(false) {
		p.client.CloseIdleConnections()
	}
	ctx, cancel := context.WithTimeout(ctx, p.config.Timeout)
	defer cancel()
	defer func() { p.mute.Store(err != nil && ctx.Err() != nil) }()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.config.URL+pushPath, bytes.NewReader(message))
	if err != nil {
		return err
	}
	for key, value := range p.config.Headers {
		r.Header.Set(key, value)
	}
	r.Header.Set("Content-Type", "application/proto")
	r.Header.Set("User-Agent", p.config.UserAgent)
	response, err := p.client.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, 64<<10))
	if err == nil && !otlp.Accepted(response) {
		err = fmt.Errorf("pyroscope %s: %w", r.URL.Redacted(), otlp.HTTPError(response, answer))
	}
	return err
}

// maxRows bounds the samples of one profile: Pyroscope takes 16,000 by default.
const maxRows = 16000

// series is a profile of a service, which is to have labels.
type series struct {
	labels []label
	of     *pprofx.Snapshot
	half   bool
}

// label is a label of a series.
type label struct{ name, value string }

func allSeries(s *pprofx.Snapshot, per string) (all []series) {
	if per == "" {
		return services(s)
	}
	groups := s.GroupBy(per)
	for i, part := range s.Split(groups) {
		part = part.KeepLabels(func(l *pprofx.Label) bool { return l.Key != per })
		var of []label
		if value := groups[i].Value; value != "" {
			of = append(of, label{pprof.PyroscopeName(per), value})
		}
		all = append(all, services(part, of...)...)
	}
	return all
}

// services returns the series of each service of s, with further labels.
func services(s *pprofx.Snapshot, of ...label) (all []series) {
	rows := map[string][]pprofx.Row{}
	for _, r := range s.Rows {
		name := serviceOf(s, int(r.PID))
		// One profile has the samples of all threads: as labels they would be series of their own.
		r.TID, r.Thread, r.State = 0, 0, pprofx.StateOther
		rows[name] = append(rows[name], r)
	}
	for name, rows := range rows {
		labels := append([]label{{"__name__", "process_cpu"}, {"service_name", name}}, of...)
		start := s.Start
		for ; len(rows) > 0; start++ {
			n := min(len(rows), maxRows)
			all = append(all, series{labels: labels, of: from(s, start, rows[:n])})
			rows = rows[n:]
		}
	}
	return all
}

// from returns a snapshot of rows that begins with the first of them, unless start is its own start: of profiles of a
// series with the same time Pyroscope keeps one.
func from(s *pprofx.Snapshot, start int64, rows []pprofx.Row) *pprofx.Snapshot {
	one := *s
	if one.Rows = rows; start != s.Start {
		one.Start = min(max(start, rows[0].Time), s.End)
	}
	return &one
}

// halves returns the earlier and the later samples.
func (o series) halves() []series {
	a, b := o, o
	half := len(o.of.Rows) / 2
	a.half, b.half = true, true
	a.of, b.of = from(o.of, o.of.Start, o.of.Rows[:half]), from(o.of, o.of.Start+1, o.of.Rows[half:])
	return []series{a, b}
}

// serviceOf is the service.name of a process, which Pyroscope must have, or what its executable is called.
func serviceOf(s *pprofx.Snapshot, pid int) string {
	p := s.Processes[pid]
	return cmp.Or(p.Service, path.Base(cmp.Or(p.Executable, "unknown")))
}

// request encodes a push.v1.PushRequest{repeated RawProfileSeries series = 1} with RawProfileSeries{repeated LabelPair
// labels = 1; repeated RawSample samples = 2}, RawSample{bytes raw_profile = 1} and LabelPair{string name = 1; string
// value = 2}.
func (o series) request() ([]byte, error) {
	var profile bytes.Buffer
	if err := pprof.WritePyroscope(&profile, o.of); err != nil {
		return nil, err
	}
	var out []byte
	for _, l := range o.labels {
		out = appendField(out, 1, appendField(appendField(nil, 1, []byte(l.name)), 2, []byte(l.value)))
	}
	out = appendField(out, 2, appendField(nil, 1, profile.Bytes()))
	return appendField(nil, 1, out), nil
}

func appendField(to []byte, n protowire.Number, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(to, n, protowire.BytesType), value)
}
