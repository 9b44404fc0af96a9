package jitcode

// Piece is a piece of code, as a line of the file of samples has it.
type Piece struct {
	Code     int     `json:"code"` // its index in the dumps of the process
	Function string  `json:"function"`
	File     string  `json:"file,omitempty"`
	Kind     string  `json:"kind"`           // as JSON lines have it
	Tier     string  `json:"tier,omitempty"` //
	Module   string  `json:"module,omitempty"`
	BuildID  string  `json:"build_id,omitempty"`
	Address  uint64  `json:"address"` // in Module, as in its symbols; in memory where there is none
	Size     int     `json:"size"`
	Samples  int64   `json:"samples"`        // at the instructions of Points
	Lost     int64   `json:"lost,omitempty"` // of instructions beyond those that are kept
	Points   []Point `json:"points"`         // by Offset
	Texts    []Text  `json:"texts,omitempty"`
}

// Text is a line of the source that a piece was made of, or a part of a long one.
type Text struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Text string `json:"text"`
}

// Point is an instruction with samples.
type Point struct {
	Offset  int     `json:"offset"` // in the code
	Samples int64   `json:"samples"`
	Frames  []Frame `json:"frames,omitempty"` // what is inlined there, innermost first, and the function itself
}

// Frame is a function, and the place in it.
type Frame struct {
	Function string `json:"function"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
}
