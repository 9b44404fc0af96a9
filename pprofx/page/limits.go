package page

import "github.com/hotspan/hotspan/pprofx"

// limits bound what a page has.
type limits struct{ frames, stacks, nodes, sets, samples int }

// The limit of nodes is for stacks that are both many and deep: a browser has to hold them several times.
var fullLimits = limits{pprofx.MaxFrames, pprofx.MaxStacks, 1 << 22, pprofx.MaxLabelSets, pprofx.MaxRows}
