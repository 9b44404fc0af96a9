package sourcemaps

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/agent/internal/turn"
	"github.com/hotspan/hotspan/pprofx/sourcemap"
	"github.com/hotspan/hotspan/v8/functions"
)

// Process numbers the source maps of one process's scripts.
type Process struct {
	maps    *Maps
	user    procs.User
	root    *procs.RootDir // nil if it could not be opened
	numbers map[identity]int32
	plain   []plainScript // that are being compared with their files, the first one now; guarded by maps.mu
	files   chan struct{} // held by those that are being read
	slow    atomic.Bool   // a file of it was
	uses    *rootUses     // of root
}

// maxFiles is how many files of one process are read at a time.
const maxFiles = 4

func newProcess(m *Maps, user procs.User, root *procs.RootDir) *Process {
	return &Process{
		maps: m, user: user, root: root, numbers: map[identity]int32{}, files: make(chan struct{}, maxFiles),
		uses: &rootUses{root: root},
	}
}

// load reads the map of a script: from the URL itself, or from a file in the root of the process. The pair is what it
// was read from then.
func (p *Process) load(s functions.MappedScript) (*sharedMap, pair, error) {
	if s.TooLong {
		return nil, pair{}, fmt.Errorf("in the script, more than %d characters: %w", functions.MaxMapURL,
			sourcemap.ErrTooLarge)
	}
	if u := mapURL(s); sourcemap.IsInline(u) {
		shared, err := p.loadInline(s, u)
		return shared, pair{}, err
	}
	file, err := mapFile(s)
	if err != nil {
		return nil, pair{}, err
	}
	return p.loadFile(s, file)
}

func mapURL(s functions.MappedScript) string { return strings.TrimSpace(s.URL.String()) }

// mapFile returns the path of a script's map.
func mapFile(s functions.MappedScript) (string, error) {
	file, err := sourcemap.File(s.Script.Name, mapURL(s))
	if err != nil {
		return "", fmt.Errorf("%.200s: %w", mapURL(s), err)
	}
	return file, nil
}

// loadInline reads the map in a URL.
func (p *Process) loadInline(s functions.MappedScript, u string) (*sharedMap, error) {
	key := fmt.Sprintf("%x %s", sha256.Sum256([]byte(u)), s.Script.Name)
	own := p.maps.turns.Begin(int64(len(u)))
	defer own.End()
	return p.maps.share(p.user, key, int64(len(u)), func() (*sourcemap.Map, error) {
		b, err := sourcemap.Inline(u)
		if err != nil {
			return nil, err
		}
		return sourcemap.Parse(b, s.Script.Name)
	})
}

// loadFile reads the map in a file, if this and the script's are of one build.
func (p *Process) loadFile(s functions.MappedScript, file string) (*sharedMap, pair, error) {
	if p.root == nil {
		return nil, pair{}, fmt.Errorf("%s: the process's files cannot be reached", file)
	}
	for range maxTries {
		before := p.pair(s, file)
		if wait := p.maps.changing(before); wait > 0 {
			time.Sleep(wait)
			continue
		}
		shared, err := p.readFile(s, file)
		if errors.Is(err, procs.ErrSlow) || p.pair(s, file) == before {
			return shared, before, err
		}
		p.maps.giveBack(shared)
	}
	return nil, pair{}, fmt.Errorf("%s: %w", file, errBuilds)
}

// pair returns what a script's file and that of its map are now.
func (p *Process) pair(s functions.MappedScript, file string) (now pair) {
	p.files <- struct{}{}
	defer func() { <-p.files }()
	p.reads(func() { now = pair{versionOf(p.root, s.Script.Name), versionOf(p.root, file)} })
	return now
}

// readFile reads the map in a file. Of a process few files are read at a time, so that most of those that are slow wait
// for their own process.
func (p *Process) readFile(s functions.MappedScript, file string) (*sharedMap, error) {
	p.files <- struct{}{}
	defer func() { <-p.files }()
	var f *os.File
	var st *unix.Stat_t
	var err error
	p.reads(func() { f, st, err = p.root.Open(file) })
	if err != nil {
		return nil, err
	}
	defer p.reads(func() { procs.Close(f) })
	if p.reads(func() { err = sameText(p.root, s) }); err != nil {
		return nil, err
	}
	own := p.begin(st.Size)
	defer own.End()
	key := fmt.Sprint(st.Dev, st.Ino, st.Size, st.Mtim, st.Ctim, file)
	return p.maps.share(p.user, key, st.Size, func() (*sourcemap.Map, error) {
		var b []byte
		var parsed *sourcemap.Map
		if p.reads(func() { b, err = p.read(f, own) }); err == nil {
			parsed, err = sourcemap.Parse(b, file)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		return parsed, nil
	})
}

// reads runs f, which reads files of the process. It may not wait for a turn: it keeps a thread.
func (p *Process) reads(f func()) { procs.Waited(p.user, f) }

// begin waits for the turn of a file. A process with a slow one has no turn any more: each would be waited for.
func (p *Process) begin(size int64) *turn.Turn {
	if p.slow.Load() {
		return p.maps.turns.Without()
	}
	return p.maps.turns.Begin(size)
}

// read reads a file. If that is slow, the next file of another process begins.
func (p *Process) read(f *os.File, own *turn.Turn) (all []byte, err error) {
	timed := procs.NewTimed(f)
	timed.WhenLate(func() {
		p.slow.Store(true)
		own.Pass()
	})
	piece := make([]byte, pieceSize)
	for err == nil {
		if err = own.Take(int64(len(piece))); err != nil {
			return nil, fmt.Errorf("%w: %w", err, sourcemap.ErrTooLarge)
		}
		var n int
		n, err = timed.ReadAt(piece, int64(len(all)))
		if all = append(all, piece[:n]...); len(all) > sourcemap.MaxBytes {
			return nil, fmt.Errorf("more than %d bytes: %w", sourcemap.MaxBytes, sourcemap.ErrTooLarge)
		}
	}
	if errors.Is(err, io.EOF) {
		return all, nil
	}
	return nil, err
}
