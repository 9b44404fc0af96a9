package record

import (
	"log/slog"

	"github.com/hotspan/hotspan/agent/cli/recording"
	"github.com/hotspan/hotspan/otlp"
)

// otlpSink sends snapshots to an OpenTelemetry Collector, or to another server of OTLP profiles.
type otlpSink struct {
	*otlp.Exporter
	url string
}

func (s otlpSink) Name() string { return "OTLP " + s.url }

// dialOTLP returns a sink that logs what the server says of snapshots that it accepted. The caller must close it.
func dialOTLP(url string, log *slog.Logger) (otlpSink, error) {
	e, err := otlp.Dial(url, otlp.Config{
		Agent: recording.ThisBuild(),
		Warn: func(message string) {
			log.Warn("the OTLP server accepted the snapshot with a warning", "why", message)
		},
	})
	return otlpSink{e, url}, err
}
