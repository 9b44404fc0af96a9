package daemon

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hotspan/hotspan/agent/cli/recording"
	"github.com/hotspan/hotspan/agent/cli/remote"
	"github.com/hotspan/hotspan/agent/internal/export"
	"github.com/hotspan/hotspan/agent/internal/pyroscope"
	"github.com/hotspan/hotspan/otlp"
	"github.com/hotspan/hotspan/pprofx"
)

// destination is one of the agent's destinations: URL,KEY=VALUE,… on the command line, or in the configuration a map
// of url and the same keys.
type destination struct {
	url    *url.URL
	values map[string]string
}

// destinationKeys are the keys of a destination, and what they mean.
var destinationKeys = map[string]string{
	"name":        "how messages and metrics call it, and its place in the store (host and port, or the last folder)",
	"labels":      "names of the labels that it gets, separated by spaces; * for the rest of a name (all)",
	"profile-per": "a label, such as http.route, of which each value gets a profile of its own",
	"protocol":    "grpc or http/protobuf (http/protobuf for port 4318 or a path, else grpc)",
	"headers":     "sent with each request: NAME=VALUE, separated by spaces",
	"compression": "gzip, zstd or none (gzip)",
	"timeout":     "of one try (10s)",
	"ca":          "file with the certificates that the server's must be signed by (the system's)",
	"cert":        "file with the client certificate",
	"key":         "file with the key of the client certificate",
}

// The schemes of Pyroscope's push API.
const (
	pyroscopePrefix = "pyroscope+"
	pyroscopeHTTP   = pyroscopePrefix + "http"
	pyroscopeHTTPS  = pyroscopePrefix + "https"
)

// wanted says what a destination looks like.
const wanted = "http://HOST:PORT, pyroscope+http://HOST:PORT, the same with https, or file:///DIR/NAME-%t.pb.gz"

// pyroscopeLabels are the labels that Pyroscope gets if none are named: each value of another one makes a series.
var pyroscopeLabels = []string{"http.route", "span_id", "trace_id"}

func (d *destination) isPyroscope() bool { return strings.HasPrefix(d.url.Scheme, pyroscopePrefix) }

// destinations are those of several flags, or a list in the configuration.
type destinations []destination

// Decode adds what one flag or the configuration says; it implements flags.Decoder.
func (d *destinations) Decode(value any) error {
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	for _, v := range list {
		var one destination
		if err := one.read(v); err != nil {
			return err
		}
		*d = append(*d, one)
	}
	return nil
}

func (d *destination) read(value any) error {
	switch v := value.(type) {
	case string:
		return d.parse(v)
	case map[string]any:
		d.values = map[string]string{}
		for key, value := range v {
			d.values[key] = fmt.Sprint(value)
		}
		return d.check()
	}
	return fmt.Errorf("%v: want a URL, or a map with url", value)
}

func (d *destination) parse(text string) error {
	parts := strings.Split(text, ",")
	d.values = map[string]string{"url": parts[0]}
	for i, part := range parts[1:] {
		key, value, ok := strings.Cut(part, "=")
		if !ok { // it may be of a secret: the message has none of it
			return fmt.Errorf("part %d after the URL: want KEY=VALUE, with %%2C for a comma in a header", i+1)
		}
		d.values[key] = value
	}
	return d.check()
}

func (d *destination) check() (err error) {
	text := d.values["url"]
	delete(d.values, "url")
	if path, ok := strings.CutPrefix(text, "file://"); ok { // %t is no part of a URL
		d.url = &url.URL{Scheme: "file", Path: path}
	} else if !strings.Contains(text, "://") {
		return fmt.Errorf("%q: want %s", text[strings.LastIndex(text, "@")+1:], wanted) // without a password
	} else if d.url, err = url.Parse(text); err != nil {
		var of *url.Error
		errors.As(err, &of)                            // url.Parse returns no other
		return fmt.Errorf("a destination: %w", of.Err) // of.URL may have a password
	} else {
		text = d.url.Redacted()
	}
	for key := range d.values {
		if destinationKeys[key] == "" {
			known := strings.Join(slices.Sorted(maps.Keys(destinationKeys)), " ")
			return fmt.Errorf("%s: key %q is unknown (known: url %s)", text, key, known)
		}
	}
	switch d.url.Scheme {
	case "http", "https", pyroscopeHTTP, pyroscopeHTTPS:
	case "file":
		if _, err := recording.FormatOf(d.url.Path); err != nil {
			return err
		}
		if !filepath.IsAbs(d.url.Path) || !strings.Contains(d.url.Path, "%t") {
			return fmt.Errorf("%s: want file:///DIR/NAME-%%t.pb.gz, where %%t is when a snapshot begins", text)
		}
		if strings.Contains(d.url.Path, "%v") != (d.values["profile-per"] != "") {
			return fmt.Errorf("%s: %%v in the name and profile-per belong together: it is the label's value", text)
		}
	default:
		return fmt.Errorf("%q: want %s", text, wanted)
	}
	return nil
}

// name is how the destination is called: it is the name of a file, too.
func (d *destination) name() string {
	short := cmp.Or(d.url.Host, filepath.Base(filepath.Dir(d.url.Path)))
	return strings.Trim(notInNames.ReplaceAllString(cmp.Or(d.values["name"], short), "-"), ".-")
}

// keep returns which labels the destination gets; nil means all.
func (d *destination) keep() func(*pprofx.Label) bool {
	names := strings.Fields(d.values["labels"])
	switch {
	case len(names) == 0 && d.isPyroscope():
		names = pyroscopeLabels
	case len(names) == 0:
		return nil
	}
	names = append(slices.Clone(names), d.values["profile-per"])
	return func(l *pprofx.Label) bool { return pprofx.MatchesName(l.Key, names) }
}

// receiver returns what takes the snapshots, and a function that closes it.
func (d *destination) receiver(log *slog.Logger) (export.Receiver, func() error, error) {
	config, err := d.otlp()
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", d.url.Redacted(), err)
	}
	if d.url.Scheme == "file" {
		files := &snapshotFiles{path: d.url.Path, per: d.values["profile-per"], timeout: config.Timeout}
		return files, func() error { return nil }, nil
	}
	if d.isPyroscope() {
		p := pyroscope.New(pyroscope.Config{
			URL: strings.TrimRight(strings.TrimPrefix(d.url.String(), pyroscopePrefix), "/"), Headers: config.Headers,
			TLS: config.TLS, Timeout: config.Timeout, UserAgent: config.Agent.UserAgent(),
			ProfilePer: config.ProfilePer,
		})
		return p, p.Close, nil
	}
	last := ""
	config.Warn = func(message string) { // with each snapshot, most likely
		if last != message {
			log.Warn("the OTLP server accepted the snapshot with a warning", "to", d.name(), "why", message)
		}
		last = message
	}
	e, err := otlp.Dial(d.url.String(), config)
	if err != nil {
		return nil, nil, err
	}
	return e, e.Close, nil
}

func (d *destination) otlp() (c otlp.Config, err error) {
	c = otlp.Config{
		Agent: recording.ThisBuild(), Protocol: otlp.Protocol(d.values["protocol"]), Headers: map[string]string{},
		ProfilePer: d.values["profile-per"],
	}
	if c.Protocol == "" && (d.url.Port() == "4318" || len(d.url.Path) > 1) {
		c.Protocol = otlp.HTTP
	}
	for i, header := range strings.Fields(d.values["headers"]) {
		name, value, ok := strings.Cut(header, "=")
		if value, err = url.PathUnescape(value); !ok || err != nil { // it may be a secret: the message has none of it
			return c, fmt.Errorf("header number %d: want NAME=VALUE, with %%20 for a space", i+1)
		}
		c.Headers[name] = value
	}
	if c.Timeout, err = time.ParseDuration(cmp.Or(d.values["timeout"], "10s")); err != nil {
		return c, err
	}
	c.GiveUp = c.Timeout // the store keeps what is not delivered
	switch c.Compression = otlp.Compression(d.values["compression"]); c.Compression {
	case "", otlp.Gzip, otlp.Zstd, otlp.Uncompressed:
	default:
		return c, fmt.Errorf("compression %q: gzip, zstd or none", c.Compression)
	}
	c.TLS, err = d.tls()
	return c, err
}

func (d *destination) tls() (*tls.Config, error) {
	c := &tls.Config{}
	if file := d.values["ca"]; file != "" {
		var err error
		if c.RootCAs, err = remote.Certificates(file); err != nil {
			return nil, err
		}
	}
	cert, key := d.values["cert"], d.values["key"]
	if (cert == "") != (key == "") {
		return nil, errors.New("a client certificate needs both cert and key")
	}
	if cert != "" {
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			return nil, err
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}
