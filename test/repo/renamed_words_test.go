package repo

// renamed is a word that the code used to have and the one in its place.
type renamed struct {
	old string   // parts of an identifier in lower case, with a blank between them: "so far" is so_far and soFar
	now string   // what to write, for the message
	in  []string // the files and folders where the old word may not be; nil for all
	how matching
}

// matching says what an old word is compared with.
type matching int

const (
	anyPart  matching = iota // identifiers that have the word as a part, file and folder names that have it
	whole                    // identifiers that are the word and nothing else, and such file and folder names
	exported                 // identifiers that are the word with a capital first letter and nothing else
	inNames                  // file and folder names that are the word, less the extension; identifiers may have it
)

// renamedWords are private words that a reader of a profiler had to guess. Where the old word is ordinary elsewhere (a
// space of V8's heap, a mutex pool), the entry is for the folders in which it was not.
var renamedWords = []renamed{
	{"space", "mappings, or addrspace", []string{"agent"}, anyPart},
	{"binary", "elffile", []string{"agent"}, inNames},
	{"pool", "uvpool", []string{"agent", "context"}, inNames},

	{"pupil", "learner", nil, anyPart},
	{"teach", "handle request", nil, anyPart},
	{"lesson", "request, or shape update", nil, anyPart},
	{"lessons", "requests, or shape updates", nil, anyPart},
	{"stranger", "unknown class", nil, anyPart},
	{"strangers", "unknown classes", nil, anyPart},
	{"learnt", "sample context", nil, anyPart},
	{"take", "publish", []string{"agent/internal/labels"}, whole},

	{"meet", "logFirstSample", nil, anyPart},
	{"tend", "maintain", nil, anyPart},
	{"look", "refreshMappings, or inspect", []string{"agent"}, whole},
	{"looked", "inspection", []string{"agent"}, anyPart},
	{"settle", "drainResults", nil, anyPart},
	{"later", "runAsync", []string{"agent"}, whole},
	{"adopt", "activate", []string{"agent"}, anyPart},
	{"young", "pendingStarts", nil, anyPart},
	{"hurry", "raisePriority", nil, anyPart},
	{"soon", "nextDeadline", nil, anyPart},
	{"patience", "environmentTimeout", nil, anyPart},
	{"farewell", "drainTimeout", nil, anyPart},

	{"mend", "fix", nil, anyPart},
	{"moved", "forwarded", []string{"context", "v8"}, exported},
	{"waiting", "deopt frame", []string{"v8/functions", "v8/stack", "agent/internal/symbolize"}, anyPart},
	{"left", "frames at exit", []string{"v8/functions"}, exported},
	{"leaving", "deopt exit", nil, anyPart},
	{"form", "FrameKind", []string{"agent", "v8/functions", "v8/stack"}, exported},
	{"walked", "RawFrame", nil, anyPart},

	{"reader", "Source", []string{"context"}, exported},
	{"sets", "LabelsBySource", []string{"context"}, exported},
	{"lead", "Follow", []string{"context"}, exported},

	{"looks", "probes", []string{"agent/internal/bpf", "agent/internal/sampler"}, anyPart},
	{"so far", "state", []string{"agent/internal/bpf"}, anyPart},
	{"has", "labels_set", []string{"agent/internal/bpf"}, whole},
	{"another", "the name of the object whose head it is", []string{"agent/internal/bpf"}, whole},
}
