// Package receiver is an OpenTelemetry Collector receiver of type hotspan: it profiles the Node.js processes of the
// machine on which the Collector runs, from outside them, and emits the profiles into a pipeline. It needs the
// permissions of hotspan agent, and the Collector the feature gate service.profilesSupport.
package receiver

import (
	"context"
	"fmt"
	"log/slog"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer/xconsumer"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/xreceiver"
)

// kind is the type of the receiver. metadata.yaml has it too, and the stability.
var kind = component.MustNewType("hotspan")

const stability = component.StabilityLevelDevelopment

// NewFactory returns the factory of receivers, for the profiles signal only.
func NewFactory() receiver.Factory {
	return xreceiver.NewFactory(kind, defaultConfig, xreceiver.WithProfiles(create, stability))
}

func create(
	_ context.Context, settings receiver.Settings, c component.Config, next xconsumer.Profiles,
) (xreceiver.Profiles, error) {
	config, ok := c.(*Config)
	if !ok {
		return nil, fmt.Errorf("configuration of type %T", c)
	}
	log := slog.New(handler{settings.Logger})
	return &profiler{config: config, log: log, to: &sink{next: next, config: messages(config), log: log}}, nil
}
