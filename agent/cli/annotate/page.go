package annotate

import (
	"crypto/sha256"
	_ "embed" // annotate.css
	"encoding/base64"
	"fmt"
	"io"
	"strings"
	"text/template"

	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/agent/internal/jitcode"
	"github.com/hotspan/hotspan/pprofx"
)

//go:embed annotate.css
var annotateStyle string

// pageHead begins a page. Its policy allows its own style, and nothing else: no script, no connection.
const pageHead = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; base-uri 'none'; form-action 'none'; ` +
	`style-src 'sha256-%s'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>hotspan annotate</title>
<style>%s</style>
</head>
<body>
<main>
<h1>Machine code</h1>
<p>%d samples in machine code%s</p>
`

// pageTable begins the table of a piece.
const pageTable = `<div class="code"><table>
<thead><tr><th class="number">samples</th><th class="number">share</th><th></th><th>offset</th><th>instruction</th>
</tr></thead>
<tbody>
`

// maxPageRows bounds the lines of one piece: a browser takes long for more.
const maxPageRows = 1 << 14

// writeCodePage writes what printPieces prints as a page: each piece can be opened and closed. The first one is open,
// and of a function all are.
func writeCodePage(to io.Writer, pieces []jitcode.Copied, total int64, left int, function string, whole bool) error {
	w := &terminal.Sheet{Writer: to}
	sum, rest := sha256.Sum256([]byte(annotateStyle)), ""
	if left > 0 {
		rest = fmt.Sprintf(". Here are the %d pieces with most, of %d", len(pieces), len(pieces)+left)
	}
	w.Printf(pageHead, base64.StdEncoding.EncodeToString(sum[:]), annotateStyle, total, rest)
	for i := range pieces {
		p, open := &pieces[i], ""
		if i == 0 || function != "" {
			open = " open"
		}
		w.Printf("<details%s>\n<summary><span class=\"number\">%d</span> <span class=\"number\">%s</span> %s "+
			"<span class=\"name\">%s <span class=\"what\">%s</span></span></summary>\n", open, p.Samples,
			terminal.Percent(p.Samples, total), heatBar(p.Samples, total), escaped(p.Name), escaped(pieceText(p)))
		inlined := inlinedIn(p, function)
		for _, line := range strings.Split(samplesText(p, total, inlined), "\n") {
			w.Printf("<p>%s</p>\n", escaped(line))
		}
		w.Printf(pageTable)
		rows := codeRows(p, inlined, whole)
		shown := min(len(rows), maxPageRows)
		for i := range rows[:shown] {
			writePageRow(w, &rows[i], p.Samples)
		}
		w.Printf("</tbody></table></div>\n")
		if left := len(rows) - shown; left > 0 {
			w.Printf("<p>… and %d more lines</p>\n", left)
		}
		w.Printf("</details>\n")
	}
	w.Printf("</main>\n</body>\n</html>\n")
	return w.Err
}

func writePageRow(w *terminal.Sheet, r *codeRow, total int64) {
	switch {
	case r.in == nil && r.place == "":
		w.Printf("<tr><td colspan=\"3\"></td><td colspan=\"2\">…</td></tr>\n")
	case r.in == nil:
		w.Printf("<tr class=\"place\"><th colspan=\"3\"></th><th colspan=\"2\">%s  <code>%s</code></th></tr>\n",
			escaped(r.place), escaped(r.text))
	default:
		class, bar := "", ""
		if r.most {
			class = ` class="most"`
		}
		count, share := r.samples(total)
		if count != "" {
			bar = heatBar(r.in.Samples, total)
		}
		w.Printf("<tr%s><td class=\"number\">%s</td><td class=\"number\">%s</td><td class=\"heat\">%s</td>"+
			"<td class=\"offset\">+0x%x</td><td>%s</td></tr>\n", class, count, share, bar, r.in.Offset,
			escaped(r.in.Text))
	}
}

// heatBar is a bar as wide as a share: a picture, as the policy of the page forbids styles of elements.
func heatBar(part, whole int64) string {
	return fmt.Sprintf(`<svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">`+
		`<rect width="%.1f" height="1"/></svg>`, 100*float64(part)/float64(max(whole, 1)))
}

// escaped is a text from elsewhere for a page: characters that a browser would act on, or that turn the text beside
// them around, become visible.
func escaped(s string) string {
	return template.HTMLEscapeString(strings.Map(func(r rune) rune {
		if pprofx.IsControl(r) {
			return '\ufffd'
		}
		return r
	}, s))
}
