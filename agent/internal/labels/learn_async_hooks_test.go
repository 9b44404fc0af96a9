package labels

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/elffile"
	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/context/nodejs"
	"github.com/hotspan/hotspan/test/nodes/live"
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
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

// withoutContext is memory in which the isolate has no current context.
type withoutContext struct {
	io.ReaderAt
	at int64
}

func (m withoutContext) ReadAt(p []byte, off int64) (int, error) {
	n, err := m.ReaderAt.ReadAt(p, off)
	if m.at >= off && m.at+8 <= off+int64(n) {
		clear(p[m.at-off:][:8])
	}
	return n, err
}

// lateStorage uses an AsyncLocalStorage once it gets a signal.
const lateStorage = `
const storage = new (require('async_hooks').AsyncLocalStorage)();
process.on('SIGUSR2', () => storage.enterWith({}));
process.stdin.resume();
console.error('ready');
`

// TestHooksStayFound: async_hooks that were found are not lost while the isolate has no context, as at times between
// two callbacks, and TopLevel is found then.
func TestHooksStayFound(t *testing.T) {
	node := live.Start(t, "22.23.3", "-e", lateStorage)
	p, err := process.Open(node.PID, elffile.NewLayoutCache())
	if err != nil {
		t.Fatal(err)
	}
	at, err := p.MainIsolate()
	if err != nil {
		t.Fatal(err)
	}
	context := int64(at) + int64(p.Layout.At(layout.IsolateContext))
	without := heap.NewReader(withoutContext{p.Memory, context}, p.Layout)
	i := isolate{}
	if err := i.find(without, at, 0); !errors.Is(err, nodejs.ErrNoEnvironment) {
		t.Fatalf("without a context: %v", err)
	}
	if err := i.find(p.Heap(), at, 0); err != nil || i.hooks.Fields == 0 || i.hooks.TopLevel.Hook != 0 {
		t.Fatalf("%+v, %v", i.hooks, err)
	}
	found := i.hooks
	if err := unix.Kill(node.PID, unix.SIGUSR2); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(10 * time.Second); i.hooks.TopLevel.Hook == 0; time.Sleep(time.Millisecond) {
		if err := i.find(without, at, 0); err != nil || time.Now().After(end) {
			t.Fatalf("%+v, %v", i.hooks, err)
		}
	}
	found.TopLevel = i.hooks.TopLevel
	if i.hooks != found {
		t.Errorf("%+v, before %+v", i.hooks, found)
	}
}
