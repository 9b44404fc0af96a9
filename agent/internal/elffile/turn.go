package elffile

import "github.com/hotspan/hotspan/agent/internal/turn"

// limits bound the memory that parsing takes: what is read of a file with its debug file, in bytes, and what is made of
// it. Node 26 has 130 MB; of Node 25 62 MB are read. Libraries are small.
var limits = turn.Limits{
	Small: 16 << 20, Large: 256 << 20, One: 512 << 20, Passed: 64 << 20, AllPassed: 256 << 20,
}
