package daemon

import (
	"cmp"
	"net"
	"os"
	"strings"
)

// fromEnvironment returns the destination that OpenTelemetry's environment variables name; nil if they name none. The
// form for profiles, such as OTEL_EXPORTER_OTLP_PROFILES_ENDPOINT, comes before the one for all signals
// (opentelemetry-specification, protocol/exporter.md).
func fromEnvironment() (*destination, error) {
	value := func(name string) string {
		return cmp.Or(os.Getenv("OTEL_EXPORTER_OTLP_PROFILES_"+name), os.Getenv("OTEL_EXPORTER_OTLP_"+name))
	}
	endpoint := value("ENDPOINT")
	if endpoint == "" {
		return nil, nil
	}
	d := &destination{values: map[string]string{
		"url":         endpoint,
		"protocol":    value("PROTOCOL"),
		"headers":     strings.ReplaceAll(strings.ReplaceAll(value("HEADERS"), " ", ""), ",", " "),
		"compression": value("COMPRESSION"),
		"ca":          value("CERTIFICATE"),
		"cert":        value("CLIENT_CERTIFICATE"),
		"key":         value("CLIENT_KEY"),
	}}
	if milliseconds := value("TIMEOUT"); milliseconds != "" {
		d.values["timeout"] = milliseconds + "ms"
	}
	if err := d.check(); err != nil {
		return nil, err
	}
	if os.Getenv("OTEL_EXPORTER_OTLP_PROFILES_ENDPOINT") == "" && d.values["protocol"] != "grpc" {
		d.underBase()
	}
	return d, nil
}

// underBase adds the path of profiles: the endpoint for all signals is a base for OTLP/HTTP.
func (d *destination) underBase() {
	if _, port, _ := net.SplitHostPort(d.url.Host); d.values["protocol"] == "" && port == "4317" {
		return // gRPC
	}
	base := *d.url
	if len(strings.Trim(base.Path, "/")) > 0 {
		d.url = base.JoinPath("v1development", "profiles")
	}
}
