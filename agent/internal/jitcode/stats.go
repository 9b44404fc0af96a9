// Package jitcode keeps the machine code that samples are in. What a process has made is copied when a frame in it is
// named, before it is moved or freed, and written as perf's jitdump and perf's map; functions of files are copied with
// their first sample, into a dump of their own. How many samples each instruction has is written beside them, and read
// again.
package jitcode

// Limits of a recording.
const (
	maxCode   = 1 << 20  // bytes of one piece of code
	maxBytes  = 64 << 20 // of all files but those of samples
	maxPoints = 1 << 18  // instructions with samples
)

// Stats are what is missing.
type Stats struct {
	Pieces  int64 `json:"pieces"`         // of code that were copied
	Large   int64 `json:"tooLarge"`       // pieces over 1 MiB, or over the 64 MiB of a recording
	Unread  int64 `json:"gone"`           // pieces that were gone or could not be read
	Samples int64 `json:"samples"`        // at instructions of the pieces that were copied
	Lost    int64 `json:"inNoCopiedCode"` // samples in code that was not copied, or of more instructions than are kept
	Unnamed int64 `json:"withoutSymbols"` // samples in code of files that no symbol names
}

// totals are what all processes have together.
type totals struct {
	Stats
	bytes  int   // that may still be written
	points int   // that may still be kept
	err    error // the first one of writing
}
