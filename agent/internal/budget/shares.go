package budget

import (
	"math"

	"github.com/hotspan/hotspan/pprofx"
)

// Shares are what a snapshot and the source maps, in bytes, may take of a memory limit in bytes, by how much is to be
// saved. Without a limit they may take any amount.
func Shares(limit int64, saving int) (snapshots pprofx.Limits, maps int64) {
	if limit <= 0 {
		return pprofx.Limits{}, math.MaxInt64
	}
	part := int(limit >> (2 * min(saving, 2)))
	snapshots = pprofx.Limits{Frames: part >> 11, Stacks: part >> 11, LabelSets: part >> 10, Rows: part >> 8}
	return snapshots, int64(part) / 4
}
