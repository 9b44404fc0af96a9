package pprofx

import "unsafe"

// What tables take for each frame, and for each stack or set of labels, in bytes, without what these refer to. Maps and
// slices have room for half as much again.
const (
	frameSize  = int(unsafe.Sizeof(Frame{}))
	frameBytes = frameSize + (frameSize+16)*3/2 // itself, and as a key
	entryBytes = 40 * 3 / 2
)

// labelBytes is what tables take for a set of labels. Keys are few, and mostly shared.
func labelBytes(labels []Label) int {
	n := entryBytes + len(labels)*int(unsafe.Sizeof(Label{}))
	for i := range labels {
		n += len(labels[i].Str)
	}
	return n
}
