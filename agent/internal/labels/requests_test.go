package labels

import (
	"bytes"
	"encoding/binary"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// TestAnswersRest: a process whose objects are all of new classes with a thousand properties does not keep hotspan from
// the samples of others. The keys of these are no names.
func TestAnswersRest(t *testing.T) {
	const class, descriptors, header, entry, properties = 0x1100, 0x1200, 24, 24, 1000
	memory := make([]byte, descriptors+header+properties*entry)
	word := func(at int, v uint64) { binary.LittleEndian.PutUint64(memory[at:], v) }
	word(class, class|1)
	word(class+16, properties<<10)
	word(class+24, descriptors|1)
	for i := range properties {
		word(descriptors+header+i*entry, class|1)
	}
	l := &layout.Layout{}
	for f, n := range map[layout.Field]int64{
		layout.MapInstanceType: 32, layout.TypeMap: 0, layout.MapBitField3: 16, layout.MapDescriptors: 24,
		layout.MapInstanceSizeInWords: 8, layout.MapInObjectStartInWords: 9, layout.DescriptorsHeader: header,
		layout.BitField3OwnDescriptorsBit: 10, layout.BitField3DictionaryMapBit: 21, layout.DetailsLocationBit: 1,
		layout.DescriptorsEntrySize: entry, layout.DetailsFieldIndexShift: 19, layout.FirstNonStringType: -1,
		layout.TypeSymbol: 7,
	} {
		l.Values[f] = layout.Value{State: layout.Known, N: n}
	}
	var said bytes.Buffer
	p := &Learner{
		heap: heap.NewReader(bytes.NewReader(memory), l), effort: heap.NewEffort(maxAnswers, answersEach), pid: 7,
		log: slog.New(slog.NewTextHandler(&said, nil)),
	}
	data := binary.LittleEndian.AppendUint64(nil, class|1)
	data = append(data, make([]byte, 8)...)
	began, answered := time.Now(), 0
	for range maxAnswers {
		if p.bounded(1, bpf.ContextLearnNames, data) == nil {
			answered++
		}
	}
	most := maxAnswers + 10*properties + int(answersEach*time.Since(began).Seconds())
	if n := p.heap.Work(); n < maxAnswers || n > most {
		t.Errorf("%d requests took %d reads, not at most %d", answered, n, most)
	}
	if n := strings.Count(said.String(), "pid=7"); n != 1 {
		t.Errorf("told %d times: %s", n, &said)
	}
	p.effort = heap.NewEffort(maxAnswers, answersEach)
	if err := p.bounded(1, bpf.ContextLearnNames, data); err != nil {
		t.Errorf("after a rest: %v", err)
	}
}
