// Package resource describes a process as OpenTelemetry describes what produces telemetry: by its service, container
// and pod, as far as that can be told from outside.
package resource

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/pprofx"
)

// maxAttributes bounds what the environment of a process may add.
const maxAttributes = 64

// podUID is the attribute that has the UID of a pod.
const podUID = "k8s.pod.uid"

// Of describes a process. What is unknown is empty. The service's name is that of OTEL_SERVICE_NAME, then of
// OTEL_RESOURCE_ATTRIBUTES, then of the package.json of its script; the last not in Kubernetes, where the name of what
// was deployed is the better one and a Collector fills it in.
func Of(o *Origin, executable string) pprofx.Process {
	group, environment := o.ControlGroup(), o.Environment()
	p := pprofx.Process{Executable: executable, Container: procs.ContainerID(group)}
	pod := procs.PodUID(group)
	if pod != "" {
		p.Attributes = append(p.Attributes, pprofx.Label{Key: podUID, Str: pod})
	}
	for _, l := range attributes(environment.Variable("OTEL_RESOURCE_ATTRIBUTES")) {
		switch {
		case l.Key == "service.name":
			p.Service = l.Str
		case l.Key == "container.id" && p.Container == "":
			p.Container = l.Str
		case l.Key == podUID && pod != "":
		case l.Key != "container.id" && !strings.HasPrefix(l.Key, "process."): // the kernel knows those better
			p.Attributes = append(p.Attributes, l)
		}
	}
	if name := environment.Variable("OTEL_SERVICE_NAME"); name != "" && len(name) <= maxLength {
		p.Service = strings.ToValidUTF8(name, "\uFFFD")
	}
	if p.Service == "" && pod == "" && environment.Variable("KUBERNETES_SERVICE_HOST") == "" {
		p.Service = o.packageName()
	}
	return p
}

// attributes parses OTEL_RESOURCE_ATTRIBUTES: KEY=VALUE,… with percent-encoded values (opentelemetry-specification,
// resource/sdk.md). Pairs that are malformed or too long are left out.
func attributes(text string) (all []pprofx.Label) {
	for pair := range strings.SplitSeq(text, ",") {
		key, value, ok := strings.Cut(pair, "=")
		key = strings.TrimSpace(key)
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if !ok || err != nil || key == "" || value == "" || len(key) > maxLength || len(value) > maxLength ||
			!utf8.ValidString(key) || !utf8.ValidString(value) {
			continue
		}
		if all = append(all, pprofx.Label{Key: key, Str: value}); len(all) == maxAttributes {
			break
		}
	}
	return all
}
