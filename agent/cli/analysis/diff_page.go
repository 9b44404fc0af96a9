package analysis

import (
	"path/filepath"

	"github.com/hotspan/hotspan/agent/cli/output"
	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/page"
)

// comparisonPage is the page of a comparison. A nil one is none.
type comparisonPage struct {
	out        *output.File
	page       *page.Comparison
	rows, lost int64
}

// createPage creates a page, none without a name. by is the label by which samples are grouped on it at first.
func createPage(name, by string) (*comparisonPage, error) {
	if name == "" {
		return nil, nil
	}
	out, err := output.Create(name, page.HTML)
	if err != nil {
		return nil, err
	}
	p := &comparisonPage{out: out, page: page.NewComparison(out, by)}
	out.Writer = p.page
	return p, nil
}

// begin begins a side, and returns what adds snapshots of it.
func (p *comparisonPage) begin(which, path string) func(*pprofx.Snapshot) error {
	begun := false
	return func(s *pprofx.Snapshot) error {
		if p == nil {
			return nil
		}
		if !begun {
			begun = true
			p.page.Begin(which + ", " + filepath.Base(path))
		}
		p.rows += int64(len(s.Rows))
		for _, n := range s.Lost {
			p.lost += n
		}
		return p.out.Add(s)
	}
}

func (p *comparisonPage) finish(c terminal.Console) error {
	return p.out.FinishAndSay(c, p.rows, p.lost)
}

// discard removes the page if it is not finished.
func (p *comparisonPage) discard() {
	if p != nil {
		p.out.Remove()
	}
}
