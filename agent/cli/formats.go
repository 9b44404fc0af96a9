package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/hotspan/hotspan/agent/internal/version"
	"github.com/hotspan/hotspan/otlp"
	"github.com/hotspan/hotspan/pprofx"
)

// formatOTLP is the one format that is not of package pprofx: a file with all that is known of each sample.
const formatOTLP pprofx.Format = "otlp"

// formatOf returns the format that belongs to the extension of a file name.
func formatOf(path string) (pprofx.Format, error) {
	if strings.HasSuffix(path, extension(formatOTLP)) {
		return formatOTLP, nil
	}
	f, err := pprofx.FormatOf(path)
	if err != nil {
		err = fmt.Errorf("%w, or %s", err, extension(formatOTLP))
	}
	return f, err
}

func parseFormat(name string) (pprofx.Format, error) {
	if name == string(formatOTLP) {
		return formatOTLP, nil
	}
	f, err := pprofx.ParseFormat(name)
	if err != nil {
		err = fmt.Errorf("%w, or %s", err, formatOTLP)
	}
	return f, err
}

func newWriter(to io.Writer, f pprofx.Format) (pprofx.Writer, error) {
	if f == formatOTLP {
		return otlp.NewWriter(to, thisBuild()), nil
	}
	return pprofx.NewWriter(to, f)
}

// streams reports whether a format has each snapshot as soon as it is cut.
func streams(f pprofx.Format) bool {
	return f == formatOTLP || f == pprofx.JSONL || f == pprofx.PerfScript
}

// thisBuild says in OTLP which build of hotspan took a profile.
func thisBuild() otlp.Agent {
	build := version.Get()
	return otlp.Agent{Version: build.Module, Build: build.Details()}
}

func extension(f pprofx.Format) string {
	switch f {
	case formatOTLP:
		return ".otlp"
	case pprofx.Collapsed:
		return ".collapsed"
	case pprofx.PerfScript:
		return ".perf"
	case pprofx.JSONL:
		return ".jsonl"
	}
	return ".pb.gz"
}
