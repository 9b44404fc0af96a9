// Package truth reads the logs that the programs of test/programs write of themselves: which function, which request
// and which thread ran when. A profile of such a program can be compared with its log sample by sample.
package truth

// Log is the log of one run of a program.
type Log struct {
	Header    Header
	Clocks    []Clock // in the order of their writing; at least one
	Functions []Function
	Threads   []Thread
	Intervals []Interval // by TID, then by Start; those of one thread do not overlap
	threads   map[int][]Interval
}

// Header names the program and how it was run. The first comment of each program documents its own fields.
type Header struct {
	Program  string            `json:"program"`
	PID      int               `json:"pid"`
	Node     string            `json:"node"` // process.version, as v24.21.0
	Mode     string            `json:"mode"`
	Stores   string            `json:"stores"`
	Requests int               `json:"requests"`
	Remote   int               `json:"remote"`
	Made     int               `json:"made"`
	Tier     string            `json:"tier"`
	Flags    []string          `json:"flags"`
	Inlined  bool              `json:"inlined"`
	Tiers    map[string]string `json:"tiers"`
}

// Clock is a reading of both clocks at one instant, in nanoseconds.
type Clock struct {
	Mono int64 `json:"mono"` // CLOCK_MONOTONIC, which bpf_ktime_get_ns reads
	Unix int64 `json:"unix"`
}

// Function is the place of a function in its file.
type Function struct {
	Function string `json:"function"`
	File     string `json:"file"`
	First    int    `json:"first"` // its first line, from 1
	Last     int    `json:"last"`  // its last line
}

// Thread is a thread of the process at the end of the run.
type Thread struct {
	TID  int    `json:"tid"`
	Name string `json:"name"` // what the program calls it; empty for threads that are Node's own
	Comm string `json:"comm"` // what the kernel calls it
	CPU  int64  `json:"cpu"`  // nanoseconds on a processor between the program's "ready" and its end
}

// Frame is one frame of a known stack. The leaf has First and Last, the lines between which it executes. The others
// have Line and Column of their call site. Both count from 1.
type Frame struct {
	Function string `json:"function"`
	File     string `json:"file"` // empty for code that was evaluated and has no name
	First    int    `json:"first"`
	Last     int    `json:"last"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	Builtin  bool   `json:"builtin"` // not written in JavaScript: it has no place
	Origin   string `json:"origin"`  // of evaluated code without a name: where it was evaluated, in V8's words
}

// Interval is a time during which one thread ran one thing.
type Interval struct {
	Start, End int64 // CLOCK_MONOTONIC in nanoseconds, [Start, End)
	TID        int
	CPU        int64   // nanoseconds of CPU time that were used in it; 0 where the program does not say
	Stack      []Frame // leaf first, as far as it is known; nil in a log of requests
	Name       string  // what the program calls the stack; empty in most logs
	Pattern    string  // of the regular expression that the leaf runs
	Label      *Label  // the request; nil where the code belonged to none
}

// Label is a request as its own code knows it.
type Label struct {
	Request  int    `json:"request"`
	Endpoint string `json:"endpoint"`
	Tenant   string `json:"tenant"`
	User     string `json:"user"`
	Premium  bool   `json:"premium"`
	TraceID  string `json:"trace_id"`
	SpanID   string `json:"span_id"`
	Route    string `json:"route"` // empty where the request has none
	Method   string `json:"method"`
	Target   string `json:"target"`
	Start    int64  `json:"start,string"` // of the request's span, Unix time in nanoseconds; 0 where it is not written
	Began    int64  `json:"began,string"` // before that span begins, CLOCK_MONOTONIC; 0 where it is not written
	Remote   bool   `json:"remote"`       // the trace id came in from outside
	Shape    string `json:"shape"`        // layout of the application's store: fast, wide, dictionary or map
}
