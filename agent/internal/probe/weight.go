package probe

import (
	"fmt"
	"strconv"
	"strings"
)

// Weight says what each hit of a probe stands for: an operand, or the product of two.
type Weight struct {
	Factors       uint32 // how many operands; 0: hits are counted, no more
	First, Second uint32 // bpf.Operand*
	Bytes         bool   // it is a number of bytes
}

// parseEvery reads how many hits have a sample together.
func parseEvery(text string) (uint32, error) {
	const most = 1_000_000 // a distance of which, by a mean value of a probe, is far from 2^64
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil || n < 2 || n > most {
		return 0, fmt.Errorf("every=%s: want a number from 2 to %d", text, most)
	}
	return uint32(n), nil
}

// parseWeight reads argN, argN*argM, or of a uretprobe or a system call ret. start is whether a uprobe is at the start
// of its function.
func parseWeight(text string, kind Kind, start bool) (w Weight, err error) {
	factors := strings.Split(text, "*")
	if len(factors) > 2 {
		return w, fmt.Errorf("value=%s: at most two factors", text)
	}
	w.Factors = uint32(len(factors))
	for i, to := range []*uint32{&w.First, &w.Second}[:len(factors)] {
		if *to, err = parseOperand(strings.TrimSpace(factors[i]), kind, start); err != nil {
			return Weight{}, fmt.Errorf("value=%s: %w", text, err)
		}
	}
	return w, nil
}
