package probe

import (
	"fmt"
	"strings"
)

// Weight says what each hit of a probe stands for: an operand, or the product of two.
type Weight struct {
	Factors       uint32 // how many operands; 0: hits are counted, no more
	First, Second uint32 // bpf.Operand*
	Bytes         bool   // it is a number of bytes
}

// parseWeight reads argN, argN*argM, or of a uretprobe ret. start is whether a uprobe is at the start of its function.
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
