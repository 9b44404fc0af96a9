package pprofx

// Limits of one snapshot. They bound the memory of a recording that is never cut, and of a process that makes up names.
// They count what the Builder holds, including samples that wait for the next snapshot.
const (
	// MaxFrames limits distinct frames. A sample with a frame beyond it gets the stack [other] and keeps all else.
	MaxFrames = 1 << 18
	// MaxStacks limits distinct stacks, in the same way.
	MaxStacks = 1 << 18
	// MaxLabelSets limits distinct sets of labels with ids, and those without ids. A sample with a set beyond it loses
	// its ids, or if it has none all labels, and gets the label LeftOutLabel.
	MaxLabelSets = 1 << 20
	// MaxRows limits samples. Those beyond it are lost with the reason LostFull.
	MaxRows = 1 << 23
)
