// Package sourcemaps reads the source maps that the scripts of sampled processes name, concurrently with sampling, and
// applies them to snapshots. It opens files in the mount namespace of the process.
package sourcemaps

import (
	"log/slog"
	"sync"
	"time"

	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/agent/internal/share"
	"github.com/hotspan/hotspan/agent/internal/turn"
	"github.com/hotspan/hotspan/pprofx/sourcemap"
)

// Limits of the kept source maps. A map beyond one of them counts as too large. Of the first three the processes of one
// user have userPart, at most, of what those of others leave.
const (
	maxMappedScripts = 1 << 14   // of all processes
	maxMapMemory     = 512 << 20 // bytes of all decoded maps
	maxMapsWaiting   = 128 << 20 // UTF-16 units of scripts and inline maps that wait to be read
	userPart         = 0.75
	maxMapWarnings   = 10 // more are logged at debug level
)

// pieceSize is how many bytes are read of a file at a time.
const pieceSize = 64 << 10

// largest is how many bytes are read of the file of a map, at most, and of all maps that are slow.
const largest = sourcemap.MaxBytes + 2*pieceSize

// unchangedFor is for how long a file has not changed when it is read.
const unchangedFor = 2 * time.Second

// limits bound the texts of maps that are read at a time. Reading one of more than 1 MiB takes noticeable time.
var limits = turn.Limits{Large: 1 << 20, One: largest, Passed: largest, AllPassed: largest}

// Stats counts the scripts that name a source map, or would need one.
type Stats struct {
	Loaded   int64 // the map is used
	Missing  int64 // there is no such file
	Remote   int64 // it is on a server: hotspan requests none
	Broken   int64 // it could not be read, or is of another script than the one that runs
	TooLarge int64 // it is over a limit
	Changed  int64 // scripts without a map whose lines are not those of their files
	Late     int64 // samples with positions in generated code because their map was not read in time
}

// Maps reads the source maps that scripts name, concurrently with sampling: one large map and one small map at a time,
// so that small maps need not wait for large ones, and slow ones beside. It is safe for concurrent use.
type Maps struct {
	log     *slog.Logger
	turns   *turn.Turns // of files
	scripts *users
	memory  *users // of maps
	units   *users // that wait
	// unchanged is unchangedFor, but for tests.
	unchanged time.Duration
	mu        sync.Mutex // guards all fields below
	last      int32
	script    map[int32]*mappedScript // by Frame.Map
	maps      map[string]*sharedMap   // by the content or file that they were read from
	most      int                     // that memory may be
	cuts      int                     // snapshots so far
	plain     map[plainScript]bool    // that were compared with their files, or are to be
	warned    map[string]bool
	stats     Stats
}

// users are shares of users.
type users = share.Shares[procs.User]

// mappedScript is a script of a process that names a source map.
type mappedScript struct {
	user   procs.User // of the process
	name   string
	since  time.Time
	late   bool             // it was not read when a snapshot needed it
	units  int              // of its text and inline map, while they are kept
	done   chan struct{}    // closed when script is set
	script sourcemap.Script // its Map is nil if there is none to use
	shared *sharedMap
	last   int       // number of the last snapshot that may have samples of it; 0 while its process runs
	again  func()    // reads the map again if its file, or the script's, has changed; nil: it need not be
	uses   *rootUses // of the root from which the map is read; nil: it is not any more
}

// sharedMap is a map that scripts of several processes may share.
type sharedMap struct {
	*sourcemap.Map
	user procs.User // for whose process it was read first
	key  string
	size int
	uses int
}

// plainScript is a script that names no map. Tracers and other loaders change modules as they are loaded, and some
// write no source map then: the lines of such a script are not those of its file.
type plainScript struct {
	name  string
	lines int
}

// New makes a Maps without scripts.
func New(log *slog.Logger) *Maps {
	return &Maps{
		log: log, script: map[int32]*mappedScript{}, maps: map[string]*sharedMap{}, warned: map[string]bool{},
		plain: map[plainScript]bool{}, unchanged: unchangedFor, most: maxMapMemory, turns: turn.New(limits),
		scripts: share.New[procs.User](maxMappedScripts, userPart),
		memory:  share.New[procs.User](maxMapMemory, userPart), units: share.New[procs.User](maxMapsWaiting, userPart),
	}
}

// Sizes are the names and sizes of caches, to be logged: scripts that name a source map, the maps that are kept, and
// the bytes of these.
func (m *Maps) Sizes() []any {
	m.mu.Lock()
	defer m.mu.Unlock()
	return []any{
		"scripts with source maps", len(m.script), "source maps", len(m.maps), "bytes of these", m.memory.All(),
	}
}

// SetMemory bounds the decoded maps to so many bytes, what waits to be read to as much, the text of one to half of it,
// and all of it to no more than is usual. What is there stays.
func (m *Maps) SetMemory(bytes int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.most = int(min(max(bytes, 0), maxMapMemory))
	m.memory.SetMost(m.most)
	m.units.SetMost(min(m.most/2, maxMapsWaiting))
}
