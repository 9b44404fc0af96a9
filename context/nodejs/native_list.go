package nodejs

import (
	"encoding/binary"

	"github.com/hotspan/hotspan/v8/heap"
)

func words(b []byte) []uint64 {
	out := make([]uint64, len(b)/8)
	for i := range out {
		out[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return out
}

// isDeque reports whether the words are those of a std::deque of libstdc++: the map of nodes and its size, then two
// iterators, each the element, the begin and end of its node, and the place of the node in the map.
func isDeque(w []uint64) bool {
	nodes, size := w[0], w[1]
	inNode := func(i []uint64) bool {
		return i[1] <= i[0] && i[0] <= i[2] && i[2] == i[1]+uint64(dequeNodeSize.value()) &&
			i[3] >= nodes && i[3] < nodes+8*size
	}
	return nodes != 0 && size >= 1 && size < 1<<32 && inNode(w[2:]) && inNode(w[6:])
}

// isVector reports whether the words begin with a std::vector: begin, end, and end of what is allocated.
func isVector(w []uint64) bool {
	return w[0] <= w[1] && w[1] <= w[2] && (w[0]|w[1]|w[2])&7 == 0
}

// vectorHandle is the address of the handle at an index, which is 0 if that is not the last one.
func vectorHandle(r *heap.Reader, w []uint64, index uint64) (uint64, error) {
	if w[0]+8*(index+1) != w[1] {
		return 0, nil
	}
	slot, err := r.WordAt(w[0] + 8*index)
	return uint64(slot), err
}

// dequeHandle is the address of the handle at an index, which is 0 if that is not the last one. Since Node.js 25 an
// element has two words, the second of which says whether the first points to a Local or a Global, which are the same
// here: the length of the deque tells how many words it has.
func dequeHandle(r *heap.Reader, w []uint64, index uint64) (uint64, error) {
	perNode := uint64(dequeNodeSize.value()) / 8
	first := (w[2] - w[3]) / 8
	switch n := (w[9]-w[5])/8*perNode + (w[6]-w[7])/8 - first; n {
	case index + 1:
		first += index
	case 2 * (index + 1):
		first += 2 * index
	default:
		return 0, nil
	}
	at := w[5] + first/perNode*8
	for _, offset := range []uint64{first % perNode * 8, 0} {
		node, err := r.WordAt(at)
		if err != nil || node == 0 {
			return 0, err
		}
		at = uint64(node) + offset
	}
	slot, err := r.WordAt(at)
	return uint64(slot), err
}
