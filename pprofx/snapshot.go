package pprofx

// Snapshot is all that was sampled in [Start, End), immutable. Stacks and label sets are interned: Rows refer to
// them by index.
type Snapshot struct {
	Start, End int64           // Unix time in nanoseconds
	Period     int64           // nanoseconds of CPU time that one sample stands for
	Processes  map[int]Process // by pid: those of Rows that are known
	Frames     []*Frame        // each value once
	Stacks     [][]int32       // indices into Frames, leaf first; each once
	LabelSets  [][]Label       // sorted by Key; each once; element 0 is the empty set
	Rows       []Row           // by time
	// Lost counts samples that are in no row, by reason. They are counted in the interval in which the loss became
	// known, so that over all snapshots of a recording taken = rows + lost.
	Lost map[LostReason]int64
}

// Process is what is known of a sampled process, by pid.
type Process struct {
	Executable string // path as the process sees it
	Service    string // service.name where known, else empty
	Container  string // container id, else empty
	// Attributes are what else the process says of itself, by OpenTelemetry's names, in an order that stays.
	Attributes []Label
}

// Row is one sample of a Snapshot.
type Row struct {
	Time   int64 // Unix time in nanoseconds
	Stack  int32 // index into Snapshot.Stacks
	Labels int32 // index into Snapshot.LabelSets
	PID    int32
	TID    int32
	CPU    int32
	State  State
	Thread string
	Stop   StopReason
}

// Other counts the rows whose stack was left out because the snapshot was full: their stack is the one frame
// OtherFunction.
func (s *Snapshot) Other() int64 {
	var n int64
	for i := range s.Rows {
		stack := s.Stacks[s.Rows[i].Stack]
		if len(stack) == 1 && *s.Frames[stack[0]] == *otherFrame {
			n++
		}
	}
	return n
}
