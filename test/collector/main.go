// Command collector is an OpenTelemetry Collector with two receivers, OTLP and hotspan's own, and one exporter, file:
// enough to put what hotspan sends through the Collector's own receiving, pipeline and writing code. It logs to stderr
// and measures nothing of itself, which halves what has to be compiled.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/open-telemetry/opentelemetry-collector-contrib/exporter/fileexporter"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/fileprovider"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/otelcol"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/service/telemetry"
	"go.uber.org/zap"

	hotspan "github.com/hotspan/hotspan/otlp/receiver"
)

func main() {
	cmd := otelcol.NewCommand(otelcol.CollectorSettings{
		BuildInfo: component.BuildInfo{Command: "collector", Description: "Collector for hotspan's tests",
			Version: "0"},
		Factories: factories,
		ConfigProviderSettings: otelcol.ConfigProviderSettings{ResolverSettings: confmap.ResolverSettings{
			ProviderFactories: []confmap.ProviderFactory{fileprovider.NewFactory()},
			DefaultScheme:     "file",
		}},
	})
	if err := cmd.Execute(); err != nil {
		fmt.Fprintln(os.Stderr, "collector:", err)
		os.Exit(1)
	}
}

func factories() (otelcol.Factories, error) {
	receivers, err := otelcol.MakeFactoryMap(otlpreceiver.NewFactory(), hotspan.NewFactory())
	if err != nil {
		return otelcol.Factories{}, err
	}
	exporters, err := otelcol.MakeFactoryMap[exporter.Factory](fileexporter.NewFactory())
	return otelcol.Factories{Receivers: receivers, Exporters: exporters, Telemetry: stderrOnly()}, err
}

func stderrOnly() telemetry.Factory {
	noConfig := func() component.Config { return &struct{}{} }
	return telemetry.NewFactory(noConfig, telemetry.WithCreateLogger(newLogger))
}

func newLogger(
	context.Context, telemetry.LoggerSettings, component.Config,
) (*zap.Logger, component.ShutdownFunc, error) {
	log, err := zap.NewProduction()
	return log, nil, err
}
