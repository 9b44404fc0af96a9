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
	"slices"
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

// Write sends all services of s in one request: nothing of a snapshot arrives without the rest. A snapshot without rows
// is not sent. Errors are as otlp.Refused expects them.
func (p *Pusher) Write(ctx context.Context, s *pprofx.Snapshot) error {
	if len(s.Rows) == 0 {
		return nil
	}
	message, err := request(s, p.config.ProfilePer)
	if err != nil {
		return err
	}
	return p.push(ctx, message)
}

// Try sends a request without profiles. The error says why the server would not take profiles either.
func (p *Pusher) Try(ctx context.Context) error { return p.push(ctx, nil) }

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

// request encodes a push.v1.PushRequest: repeated RawProfileSeries series = 1.
func request(s *pprofx.Snapshot, per string) (out []byte, err error) {
	if per == "" {
		return appendServices(nil, s)
	}
	groups := s.GroupBy(per)
	for i, part := range s.Split(groups) {
		part = part.KeepLabels(func(l *pprofx.Label) bool { return l.Key != per })
		var of []label
		if value := groups[i].Value; value != "" {
			of = append(of, label{pprof.PyroscopeName(per), value})
		}
		if out, err = appendServices(out, part, of...); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// label is a label of a series.
type label struct{ name, value string }

// appendServices appends a series for each service of s, with further labels.
func appendServices(to []byte, s *pprofx.Snapshot, of ...label) (out []byte, err error) {
	services := map[string][]pprofx.Row{}
	for _, r := range s.Rows {
		name := serviceOf(s, int(r.PID))
		// One profile has the samples of all threads: as labels they would be series of their own.
		r.TID, r.Thread, r.State = 0, 0, pprofx.StateOther
		services[name] = append(services[name], r)
	}
	for name, rows := range services {
		labels := append([]label{{"__name__", "process_cpu"}, {"service_name", name}}, of...)
		for part := range slices.Chunk(rows, maxRows) {
			one := *s
			one.Rows = part
			if to, err = appendSeries(to, labels, &one); err != nil {
				return nil, err
			}
		}
	}
	return to, nil
}

// serviceOf is the service.name of a process, which Pyroscope must have, or what its executable is called.
func serviceOf(s *pprofx.Snapshot, pid int) string {
	p := s.Processes[pid]
	return cmp.Or(p.Service, path.Base(cmp.Or(p.Executable, "unknown")))
}

// appendSeries appends RawProfileSeries{repeated LabelPair labels = 1; repeated RawSample samples = 2} with
// RawSample{bytes raw_profile = 1} and LabelPair{string name = 1; string value = 2}.
func appendSeries(to []byte, labels []label, s *pprofx.Snapshot) ([]byte, error) {
	var profile bytes.Buffer
	if err := pprof.WritePyroscope(&profile, s); err != nil {
		return nil, err
	}
	var series []byte
	for _, l := range labels {
		series = appendField(series, 1, appendField(appendField(nil, 1, []byte(l.name)), 2, []byte(l.value)))
	}
	series = appendField(series, 2, appendField(nil, 1, profile.Bytes()))
	return appendField(to, 1, series), nil
}

func appendField(to []byte, n protowire.Number, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(to, n, protowire.BytesType), value)
}
