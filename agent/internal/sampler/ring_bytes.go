package sampler

import "runtime"

// RingBytes is the size of a ring buffer for the samples of a second at so many on each CPU, most of which have 2 to 3
// KiB: 1 to 16 MiB, and no more than an eighth of a memory limit in bytes, unless that is 0.
func RingBytes(rate int, limit int64) int {
	const sample, least, most = 8 << 10, 1 << 20, 16 << 20
	size := least
	for size < most && size < rate*runtime.NumCPU()*sample {
		size *= 2
	}
	for limit > 0 && size > least && int64(size) > limit/8 {
		size /= 2
	}
	return size
}
