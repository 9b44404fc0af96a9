package sourcemaps

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hotspan/hotspan/v8/functions"
	"github.com/hotspan/hotspan/v8/heap"
)

// TestChangedLines: of scripts without a map those are counted, once each, that have other lines than their file. What
// loaders put around a text, one whose file is gone, and one without a text are not.
func TestChangedLines(t *testing.T) {
	m, p, said := mapper(t)
	dir := t.TempDir()
	const file = "1\n2\n3\n4\n5\n"
	tell := func(name, content string, source *heap.Text) {
		write(t, dir, name, content)
		for range 2 {
			s := &heap.Script{Name: filepath.Join(dir, name)}
			if n := p.Add(functions.MappedScript{Script: s, Source: source}); n != 0 {
				t.Errorf("%s has map %d", name, n)
			}
		}
	}
	tell("same.js", file, text(file))
	tell("wide.js", "é\n€\n"+file, text("é\n€\n"+file))
	tell("around.js", file, text("(function () {"+file+"\n});\n"))
	tell("gone.js", "", text(file))
	tell("unread.js", file, nil)
	tell("fewer.js", file, text("1;2;3;4;5"))
	tell("more.js", file, text("€\n\n\n"+file))
	uses := func() int {
		m.mu.Lock()
		defer m.mu.Unlock()
		return p.uses.scripts
	}
	for uses() > 0 {
		time.Sleep(time.Millisecond)
	}
	if got := m.Stats(); got != (Stats{Changed: 2}) || strings.Contains(said.String(), "level=WARN") {
		t.Errorf("%+v, said %s", got, said)
	}
	if p.End(); len(m.script) != 0 || m.scripts.All() != 0 {
		t.Errorf("%d scripts are kept", len(m.script))
	}
}
