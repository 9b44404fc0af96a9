package sourcemaps

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"

	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/pprofx/sourcemap"
	"github.com/hotspan/hotspan/v8/stack"
)

// load reads the map of a script: from the URL itself, or from a file in the root of the process.
func (m *Maps) load(root *procs.RootDir, s stack.MappedScript) (*sharedMap, error) {
	u := strings.TrimSpace(s.URL.String())
	if !sourcemap.IsInline(u) {
		file, err := sourcemap.File(s.Script.Name, u)
		if err != nil {
			return nil, fmt.Errorf("%.200s: %w", u, err)
		}
		return m.loadFile(root, s, file)
	}
	if s.URL.Len() >= stack.MaxMapURL {
		return nil, fmt.Errorf("in the script, more than %d characters: %w", stack.MaxMapURL, sourcemap.ErrTooLarge)
	}
	key := fmt.Sprintf("%x %s", sha256.Sum256([]byte(u)), s.Script.Name)
	return m.share(key, int64(len(u)), func() (*sourcemap.Map, error) {
		b, err := sourcemap.Inline(u)
		if err != nil {
			return nil, err
		}
		return sourcemap.Parse(b, s.Script.Name)
	})
}

func (m *Maps) loadFile(root *procs.RootDir, s stack.MappedScript, file string) (*sharedMap, error) {
	if root == nil {
		return nil, fmt.Errorf("%s: the process's files cannot be reached", file)
	}
	f, st, err := root.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := sameText(root, s); err != nil {
		return nil, err
	}
	key := fmt.Sprint(st.Dev, st.Ino, st.Size, st.Mtim, file)
	return m.share(key, st.Size, func() (*sourcemap.Map, error) {
		b, err := procs.ReadAll(f, sourcemap.MaxBytes)
		if errors.Is(err, procs.ErrTooLong) {
			err = fmt.Errorf("%w: %w", err, sourcemap.ErrTooLarge)
		}
		var parsed *sourcemap.Map
		if err == nil {
			parsed, err = sourcemap.Parse(b, file)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		return parsed, nil
	})
}
