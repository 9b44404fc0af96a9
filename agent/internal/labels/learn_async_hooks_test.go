package labels

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/context/nodejs"
)

// TestTellUnknown: async_hooks that are not found are told of once for a process, and an isolate without Node's
// Environment, such as one of another embedder's, is not.
func TestTellUnknown(t *testing.T) {
	var out bytes.Buffer
	p := &Learner{log: slog.New(slog.NewTextHandler(&out, nil)), pid: 7}
	p.tellUnknown(nodejs.ErrNoEnvironment)
	p.tellUnknown(errors.New("other"))
	if out.Len() > 0 {
		t.Errorf("told of what is not known to be wrong: %s", &out)
	}
	for range 2 {
		p.tellUnknown(fmt.Errorf("%w: %w", nodejs.ErrNoEnvironment, nodejs.ErrUnknownHooks))
	}
	said := out.String()
	if n := strings.Count(said, "async_hooks are not found"); n != 1 || !strings.Contains(said, "pid=7") {
		t.Errorf("told %d times: %s", n, said)
	}
}
