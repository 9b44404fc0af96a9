// Package page writes snapshots as one HTML file that shows them: where the CPU time went, by time, request, function
// and thread. The file needs nothing but a browser, and asks for nothing: its policy forbids all connections. What a
// target has named is data in it, encoded so that it cannot be anything else.
//
// The numbers are those of package report, by the same definitions. The page's own code is in the folder app; go
// generate packs it into page.html.gz.
package page

import (
	"io"

	"github.com/hotspan/hotspan/pprofx"
)

// HTML is the format.
const HTML pprofx.Format = "html"

// Extension is that of the files.
const Extension = ".html"

// NewWriter returns a Writer of a page. It keeps until Close what is distinct, and 32 bytes for each sample, up to
// pprofx.MaxRows of them. Unlike for other formats, snapshots may be of any order, so that those of several recordings
// fit on one page. All must have the same period.
func NewWriter(to io.Writer) pprofx.Writer { return newWriter(to, fullLimits) }
