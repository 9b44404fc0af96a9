package output

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/hotspan/hotspan/agent/cli/exit"
	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/page"
)

// maxSource is the size of the largest source file that is read, in bytes.
const maxSource = 16 << 20

// Sources reads source files for a page, with the rights of the user who called.
type Sources struct {
	root     *procs.RootDir
	embedded *page.Embedded // of the last page
}

// OpenSources returns nil if source lines are not asked for. A page is the only format that shows them.
func OpenSources(asked bool, format pprofx.Format) (*Sources, error) {
	switch {
	case !asked:
		return nil, nil
	case format != page.HTML:
		return nil, exit.Usagef("--source is for pages: -o FILE%s", page.Extension)
	}
	root, err := procs.OpenCallerRoot()
	if err != nil {
		return nil, fmt.Errorf("--source: %w", err)
	}
	return &Sources{root: root}, nil
}

// Embed has a writer show source lines.
func (s *Sources) Embed(in pprofx.Writer) {
	if s != nil {
		s.embedded = page.Embed(in, s.text)
	}
}

// text returns a file as it was at a time. (page.SourceReader)
func (s *Sources) text(file string, at int64) (string, error) {
	path := pathOf(file)
	if path == "" {
		return "", page.ErrNoFile
	}
	return s.open(path, at)
}

func (s *Sources) open(path string, at int64) (string, error) {
	f, st, err := s.root.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", errors.New("not on this machine")
	case errors.Is(err, fs.ErrPermission):
		return "", errors.New("not permitted")
	case err != nil:
		if p, ok := errors.AsType[*fs.PathError](err); ok {
			err = p.Err // without the name
		}
		return "", err
	}
	defer f.Close()
	switch {
	case st.Ctim.Nano() > at:
		return "", errors.New("changed since")
	case st.Size > maxSource:
		return "", errors.New("too large")
	}
	text, err := procs.ReadAll(f, maxSource)
	if err != nil {
		return "", errors.New("not readable")
	}
	return string(text), nil
}

// pathOf returns the path of a file by the name that V8 has of it; empty if it has none.
func pathOf(file string) string {
	if u, err := url.Parse(file); err == nil && u.Scheme == "file" && u.Host == "" {
		return u.Path
	}
	if strings.HasPrefix(file, "/") {
		return file
	}
	return ""
}

// Say says what was read.
func (s *Sources) Say(c terminal.Console) {
	if s == nil || s.embedded == nil {
		return
	}
	fmt.Fprintf(c, "files whose source lines are on the page: %d\n", s.embedded.Files)
	for _, why := range slices.Sorted(maps.Keys(s.embedded.Refused)) {
		fmt.Fprintf(c, "files whose source lines are not: %d, %s\n", s.embedded.Refused[why], why)
	}
}
