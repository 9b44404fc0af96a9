package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/hotspan/hotspan/agent/internal/version"
	"github.com/hotspan/hotspan/otlp"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/page"
	"github.com/hotspan/hotspan/pprofx/viewers"
)

// formatOTLP is a file with all that is known of each sample. Beside it, the formats of the packages page and viewers
// are not of package pprofx.
const formatOTLP pprofx.Format = "otlp"

// otherFormats lists the formats that are not of package pprofx.
var otherFormats = append([]pprofx.Format{formatOTLP, page.HTML}, viewers.Formats...)

// formatOf returns the format that belongs to the extension of a file name.
func formatOf(path string) (pprofx.Format, error) {
	for _, f := range otherFormats {
		if strings.HasSuffix(path, extension(f)) {
			return f, nil
		}
	}
	f, err := pprofx.FormatOf(path)
	if err != nil {
		err = fmt.Errorf("%w, or %s", err, joined(extension))
	}
	return f, err
}

func parseFormat(name string) (pprofx.Format, error) {
	if f := pprofx.Format(name); slices.Contains(otherFormats, f) {
		return f, nil
	}
	f, err := pprofx.ParseFormat(name)
	if err != nil {
		err = fmt.Errorf("%w, or %s", err, joined(func(f pprofx.Format) string { return string(f) }))
	}
	return f, err
}

// joined lists the formats that are not of package pprofx.
func joined(text func(pprofx.Format) string) string {
	var texts []string
	for _, f := range otherFormats {
		texts = append(texts, text(f))
	}
	return strings.Join(texts, " ")
}

func newWriter(to io.Writer, f pprofx.Format) (pprofx.Writer, error) {
	switch f {
	case formatOTLP:
		return otlp.NewWriter(to, thisBuild()), nil
	case page.HTML:
		return page.NewWriter(to), nil
	}
	if w := viewers.NewWriter(to, f); w != nil {
		return w, nil
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
	if e := viewers.Extension(f); e != "" {
		return e
	}
	switch f {
	case formatOTLP:
		return ".otlp"
	case page.HTML:
		return page.Extension
	case pprofx.Collapsed:
		return ".collapsed"
	case pprofx.PerfScript:
		return ".perf"
	case pprofx.JSONL:
		return ".jsonl"
	}
	return ".pb.gz"
}
