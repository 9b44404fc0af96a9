package daemon

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/hotspan/hotspan/agent"
	"github.com/hotspan/hotspan/agent/cli/exit"
	"github.com/hotspan/hotspan/agent/cli/recording"
	"github.com/hotspan/hotspan/agent/cli/remote"
	"github.com/hotspan/hotspan/agent/internal/live"
	"github.com/hotspan/hotspan/agent/internal/serve"
	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/pprofx"
)

// socketFlags say where the agent serves profiles, and to whom.
type socketFlags struct {
	Socket      string `default:"${socketpath}" help:"${socket} (${default})." placeholder:"PATH"`
	SocketGroup string `help:"Members of this group get all that the socket has." placeholder:"GROUP"`
	Listen      string `help:"${listen}" placeholder:"HOST:PORT"`
	ListenCert  string `help:"File with the certificate for --listen." placeholder:"FILE"`
	ListenKey   string `help:"File with its key." placeholder:"FILE"`
	TokenFile   string `help:"${token}" placeholder:"FILE"`
}

// noSocket is the path that stands for none.
const noSocket = "none"

// token returns what callers over the network must send.
func (v *socketFlags) token() (string, error) {
	if v.TokenFile == "" {
		return "", nil
	}
	return remote.ReadToken(v.TokenFile)
}

// check returns an error if the flags contradict each other, or name what is not there.
func (v *socketFlags) check() error {
	if v.Listen != "" && (v.ListenCert == "" || v.ListenKey == "" || v.TokenFile == "" || v.Socket == noSocket) {
		return exit.Usagef("--listen needs --listen-cert, --listen-key, --token-file and a --socket: " +
			"profiles are not for everybody")
	}
	if v.Listen != "" {
		if _, err := tls.LoadX509KeyPair(v.ListenCert, v.ListenKey); err != nil {
			return fmt.Errorf("--listen-cert, --listen-key: %w", err)
		}
	}
	if _, err := serve.GroupID(v.SocketGroup); err != nil {
		return fmt.Errorf("--socket-group: %w", err)
	}
	_, err := v.token()
	return err
}

// serve begins to serve a running agent. The function that it returns ends that.
func (v *socketFlags) serve(
	feed *live.Feed, d *delivering, page *statusPage, log *slog.Logger,
) (end func() error, err error) {
	if v.Socket == noSocket {
		return func() error { return nil }, nil
	}
	s, err := serve.Listen(serve.Config{
		Socket: v.Socket, Group: v.SocketGroup, Store: d.from, Feed: feed, Build: recording.ThisBuild(), Log: log,
		Capture: func(ctx context.Context, of serve.Capture) error { return capture(ctx, d.configuration(), of) },
		Status:  page.message,
	})
	if err != nil {
		return nil, err
	}
	page.servesOn(s)
	if v.Listen != "" {
		if err := v.serveTCP(s, log); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	return s.Close, nil
}

func (v *socketFlags) serveTCP(s *serve.Server, log *slog.Logger) error {
	token, err := v.token()
	if err != nil {
		return err
	}
	pair, err := openCertificate(v.ListenCert, v.ListenKey, log)
	if err != nil {
		return err
	}
	at, err := s.ListenTCP(v.Listen, &tls.Config{GetCertificate: pair.get}, token)
	if err == nil {
		log.Info("serving by TLS", "at", at)
	}
	return err
}

// pull answers scrapers that have the token; nil: there is none.
func (v *socketFlags) pull(feed *live.Feed) (http.Handler, error) {
	token, err := v.token()
	if err != nil || token == "" {
		return nil, err
	}
	return serve.Pull(feed, token), nil
}

// captureTables bounds the unwind tables of a capture, in bytes: Node.js 24 takes 6 MB, and the process may map as many
// files as it likes.
const captureTables = 32 << 20

// captureConfig returns the configuration for one process, which is otherwise the agent's.
func captureConfig(like *agent.Config, of *serve.Capture) (agent.Config, error) {
	config := agent.Config{
		Select: agent.Selection{PIDs: []int{of.PID}}, Rate: of.Rate, SnapshotEvery: of.Every, Labels: like.Labels,
		Rules: like.Rules, NoSourceMaps: like.NoSourceMaps, FileCache: like.FileCache, Log: like.Log,
		Sinks: []agent.Sink{captureSink(of.To)}, ContextIDs: of.Sampled != nil,
		Sampling:    of.Begun,
		TableBytes:  captureTables,
		FollowClock: true, // a session asks for what was sampled up to a time of day
	}
	for _, text := range of.Rules {
		rule, err := reqctx.ParseRule(text)
		if err != nil {
			return config, err
		}
		config.Rules = append(config.Rules[:len(config.Rules):len(config.Rules)], rule)
	}
	return config, nil
}

// capture samples one process.
func capture(ctx context.Context, like agent.Config, of serve.Capture) error {
	config, err := captureConfig(&like, &of)
	if err != nil {
		return err
	}
	a, err := agent.New(config)
	if err != nil {
		return err
	}
	if of.Sampled != nil {
		file, err := a.SampledRecords()
		if err != nil {
			a.Close()
			return err
		}
		of.Sampled(file)
	}
	stats, err := a.Run(ctx)
	if err == nil && stats.SnapshotsLost > 0 {
		err = fmt.Errorf("%d snapshots are lost: they were not read in time", stats.SnapshotsLost)
	}
	return err
}

// captureSink sends snapshots to whoever asked for them.
type captureSink func(context.Context, *pprofx.Snapshot) error

func (captureSink) Name() string { return "the caller" }

func (s captureSink) Write(ctx context.Context, snapshot *pprofx.Snapshot) error {
	return s(ctx, snapshot)
}
