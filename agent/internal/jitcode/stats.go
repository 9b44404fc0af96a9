// Package jitcode keeps the machine code that samples are in: it is copied when a frame in it is named, before V8 moves
// or frees it, and written as perf's jitdump and perf's map. How many samples each instruction has is written beside
// them, and read again.
package jitcode

// Limits of a recording.
const (
	maxCode   = 1 << 20  // bytes of one piece of code
	maxBytes  = 64 << 20 // of all files but those of samples
	maxPoints = 1 << 18  // instructions with samples
)

// Stats are what is missing.
type Stats struct {
	Pieces  int64 // of code that were copied
	Large   int64 // pieces over 1 MiB, or over the 64 MiB of a recording
	Unread  int64 // pieces that were gone or could not be read
	Samples int64 // at instructions of the pieces that were copied
	Lost    int64 // samples in code that was not copied, or of more instructions than are kept
}

// totals are what all processes have together.
type totals struct {
	Stats
	bytes  int   // that may still be written
	points int   // that may still be kept
	err    error // the first one of writing
}
